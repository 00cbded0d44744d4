// A clean-up tool deletes what a batch has just found and is about to reuse (H17 of the specification): the batch fails
// as a whole, and its next attempt stores every row.
#include <atomic>

#include "tests/contract/contract.h"

namespace contract {
namespace {

class CleanUp : public Contract {};

TEST_P(CleanUp, WhatIsRemovedUnderOurHandsCostsOneRetry) {
  const Target inbox = store().inbox_of(store().add_user("alice@example.org"));
  const std::string large(100000, 'x');
  (void)deliver_one(MadeMessage("shared").part(2, 1, 1, false, large).build(), {inbox});
  std::atomic<bool> armed = true;
  use([&](storage::Options& options) {
    options.statement_hook = [&](std::string_view name) {
      const bool writes = name.starts_with("insert_content") || name.starts_with("write");
      if (writes && armed.exchange(false)) store().remove_all_content();
      return storage::Fault::none;
    };
  });
  const storage::Message message =
      MadeMessage("shared").part(2, 1, 1, false, large).part(3, 1, 1, false, "new").build();
  std::vector<Delivery> batch;
  batch.push_back(delivery_of(message, {inbox}));
  std::vector<TargetOutcome> outcomes(1);
  EXPECT_EQ(connection().store(batch, outcomes).reason(), Reason::conflict);
  EXPECT_FALSE(armed);
  EXPECT_EQ(store().counts().messages, 0);
  EXPECT_OK(connection().store(batch, outcomes));
  EXPECT_EQ(lines_of(store().rows(store().entry(outcomes[0].message_idnr).physmessage)),
            lines_of(message, store().header_names()));
}

// A connection remembers header values that it found; the row may go meanwhile.
TEST_P(CleanUp, WhatIsRememberedAndGoneCostsOneRetry) {
  const Target inbox = store().inbox_of(store().add_user("alice@example.org"));
  const auto store_one = [&](const std::string& body, TargetOutcome& outcome) {
    std::vector<Delivery> batch;
    batch.push_back(delivery_of(MadeMessage(body).header("cc", "the same").build(), {inbox}));
    return connection().store(batch, std::span(&outcome, 1));
  };
  TargetOutcome outcome;
  EXPECT_OK(store_one("inserts the value", outcome));
  EXPECT_OK(store_one("finds it", outcome));
  store().remove_all_content();
  EXPECT_EQ(store_one("believes it", outcome).reason(), Reason::conflict);
  EXPECT_EQ(store().counts().messages, 0);
  EXPECT_OK(store_one("believes it", outcome));
  EXPECT_EQ(lines_of(store().rows(store().entry(outcome.message_idnr).physmessage)),
            lines_of(MadeMessage("believes it").header("cc", "the same").build(), store().header_names()));
}

ON_EVERY_SERVER(CleanUp);

}  // namespace
}  // namespace contract
