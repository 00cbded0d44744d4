// The dictionary of header names: read-only unless the option says otherwise; a clash never costs mail.
#include <thread>

#include "tests/contract/contract.h"

namespace contract {
namespace {

class HeaderNames : public Contract {
 protected:
  void SetUp() override { alice_ = store().add_user("alice@example.org"); }
  [[nodiscard]] bool is_known(const std::string& name) {
    const auto names = store().header_names();
    return std::count(names.begin(), names.end(), name) == 1;
  }
  static storage::Message message(const std::string& body, const std::vector<std::string>& names) {
    MadeMessage made(body);
    for (const std::string& name : names) made.header(name, "value of " + name);
    return made.build();
  }

  UserId alice_ = 0;
};

TEST_P(HeaderNames, UnknownOnesAreNotCachedByDefault) {
  (void)deliver_one(message("m", {"x-new", "message-id"}), {store().inbox_of(alice_)});
  EXPECT_FALSE(is_known("x-new"));
  EXPECT_EQ(store().counts().headers, 5);
}

TEST_P(HeaderNames, UnknownOnesAreAddedWhenAllowed) {
  use([](storage::Options& options) { options.cache_new_header_names = true; });
  const std::string too_long(101, 'n');
  const storage::Message first = message("m", {"x-new", "x-other", too_long});
  const auto outcomes = deliver_one(first, {store().inbox_of(alice_)});
  ASSERT_EQ(reasons(outcomes), std::vector{Reason::ok});
  EXPECT_TRUE(is_known("x-new"));
  EXPECT_TRUE(is_known("x-other"));
  EXPECT_EQ(lines_of(store().rows(store().entry(outcomes[0].message_idnr).physmessage)),
            lines_of(first, store().header_names()));
  EXPECT_EQ(store().counts().headers, 6);
  (void)deliver_one(message("again", {"x-new"}), {store().inbox_of(alice_)});
  EXPECT_TRUE(is_known("x-new"));
}

// A6: the same header twice.
TEST_P(HeaderNames, EqualHeadersCollapse) {
  storage::Message twice = message("m", {"received", "message-id"});
  twice.headers.push_back(twice.headers.back());
  EXPECT_EQ(reasons(deliver_one(twice, {store().inbox_of(alice_)})), std::vector{Reason::ok});
  EXPECT_EQ(store().counts().headers, 5);
}

// H17 of the specification: a clean-up removes unused names, and they come back with other ids.
TEST_P(HeaderNames, ANameThatWasRemovedCostsOneRetry) {
  const Target inbox = store().inbox_of(alice_);
  (void)deliver_one(message("first", {}), {inbox});
  store().remove_header_name("to");
  const storage::Message second = message("second", {"to"});
  std::vector<Delivery> batch;
  batch.push_back(delivery_of(second, {inbox}));
  std::vector<TargetOutcome> outcomes(1);
  EXPECT_EQ(connection().store(batch, outcomes).reason(), Reason::conflict);
  EXPECT_OK(connection().store(batch, outcomes));
  EXPECT_EQ(lines_of(store().rows(store().entry(outcomes[0].message_idnr).physmessage)),
            lines_of(second, store().header_names()));
}

// A56: many writers add the same names.
TEST_P(HeaderNames, AddedByManyAtTheSameTime) {
  use([](storage::Options& options) { options.cache_new_header_names = true; });
  constexpr int threads = 4;
  std::vector<std::thread> writers;
  const Target inbox = store().inbox_of(alice_);
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      std::vector<std::string> names;
      for (int i = 0; i < 40; ++i) names.push_back("x-" + std::to_string((i * 7 + t * 13) % 40));
      const auto connection = connect(driver());
      std::vector<Delivery> batch;
      batch.push_back(delivery_of(message(std::to_string(t), names), {inbox}));
      EXPECT_EQ(reasons(deliver(*connection, batch)), std::vector{Reason::ok});
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(is_known("x-" + std::to_string(i)));
  EXPECT_EQ(store().counts().headers, threads * 44);
}

ON_EVERY_ENGINE(HeaderNames);

}  // namespace
}  // namespace contract
