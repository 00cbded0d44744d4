#include "storage/batch/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/made_message.h"
#include "tests/unit/storage/batch/recording_tables.h"

namespace storage::batch {
namespace {

using testing::ElementsAre;
using testing_support::delivery_of;
using testing_support::MadeMessage;

class Placing : public testing::Test {
 protected:
  void add(const std::string& body, std::uint64_t size, std::vector<Target> targets) {
    batch_.push_back(delivery_of(MadeMessage(body).size(size).build(), std::move(targets)));
  }
  // All steps; what a refused or stored copy is told.
  std::vector<Reason> place() {
    std::size_t targets = 0;
    for (const Delivery& delivery : batch_) targets += delivery.targets.size();
    out_ = std::vector<TargetOutcome>(targets);
    Placement placement(batch_, out_);
    placement.find_mailboxes(tables_);
    const Survey found = tables_.survey(placement.open_keys(), Content());
    placement.recognise(found.messages);
    ContentIds ids;
    placement.admit(tables_.write(Content(), placement.claim(), ids));
    const Publication publication = placement.publication(std::vector<RowId>(batch_.size(), 1000));
    placement.finish();
    if (!publication.messages.empty()) placement.stored(tables_.publish(publication));
    std::vector<Reason> reasons;
    for (const TargetOutcome& outcome : out_) reasons.push_back(outcome.status.reason());
    return reasons;
  }

  RecordingTables tables_;
  std::vector<Delivery> batch_;
  std::vector<TargetOutcome> out_;
};

TEST_F(Placing, SequencesCountPerMailboxInArrivalOrder) {
  add("a", 1, {Target(1, "INBOX", 10), Target(2, "INBOX", 20)});
  add("b", 1, {Target(1, "INBOX", 10)});
  EXPECT_THAT(place(), testing::Each(Reason::ok));
  ASSERT_EQ(tables_.rows.size(), 3u);
  EXPECT_EQ(tables_.rows[0].seq, 101);
  EXPECT_EQ(tables_.rows[1].seq, 201);
  EXPECT_EQ(tables_.rows[2].seq, 102);
  EXPECT_EQ(tables_.sequences.size(), 2u);
  EXPECT_EQ(tables_.sequences[0].seq, 102);
  EXPECT_EQ(out_[2].message_idnr, 7002);
}

// Decision 20: equality fits; a smaller one that comes later may fit; one sum per user.
TEST_F(Placing, QuotaInArrivalOrder) {
  tables_.users[1] = {1, 100, 10};
  for (const std::uint64_t size : {60u, 31u, 30u, 1u}) add(std::to_string(size), size, {Target(1, "INBOX", 10)});
  add("x", 5, {Target(1, "Other", 11), Target(2, "INBOX", 20)});
  EXPECT_THAT(place(), ElementsAre(Reason::ok, Reason::over_quota, Reason::ok, Reason::over_quota, Reason::over_quota,
                                   Reason::ok));
  ASSERT_EQ(tables_.quotas.size(), 2u);
  EXPECT_EQ(tables_.quotas[0].octets, 90);
  EXPECT_EQ(tables_.quotas[1].octets, 5);
}

TEST_F(Placing, BrokenCountersDoNotOverflow) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  tables_.users[1] = {1, most, most};
  tables_.users[2] = {2, 100, most};
  tables_.users[3] = {3, 100, -50};
  add("a", 100, {Target(1, "INBOX", 10), Target(2, "INBOX", 20), Target(3, "INBOX", 30)});
  EXPECT_THAT(place(), ElementsAre(Reason::over_quota, Reason::over_quota, Reason::ok));
}

TEST_F(Placing, EqualKeysAreOneCopyWithOneFate) {
  tables_.users[2] = {2, 5, 0};
  add("a", 10, {Target(1, "INBOX", 10), Target(2, "INBOX", 20)});
  add("a", 10, {Target(2, "INBOX", 20), Target(1, "INBOX", 10)});
  EXPECT_THAT(place(), ElementsAre(Reason::ok, Reason::over_quota, Reason::over_quota, Reason::already_stored));
  EXPECT_EQ(out_[3].message_idnr, out_[0].message_idnr);
  EXPECT_EQ(tables_.rows.size(), 1u);
}

// A target whose mailbox was created may turn out to be one that another target names by its id.
TEST_F(Placing, ACreatedMailboxThatIsTheSame) {
  add("a", 10, {Target(1, "INBOX", 0), Target(1, "INBOX", 501)});
  EXPECT_THAT(place(), ElementsAre(Reason::ok, Reason::already_stored));
}

TEST_F(Placing, WhatHasVanished) {
  tables_.gone_mailboxes = {20};
  tables_.gone_users = {3};
  add("a", 10, {Target(1, "INBOX", 10), Target(2, "INBOX", 20), Target(3, "INBOX", 30)});
  EXPECT_THAT(place(), ElementsAre(Reason::ok, Reason::no_such_mailbox, Reason::no_such_mailbox));
  EXPECT_THAT(tables_.locked_mailboxes, ElementsAre(10, 20, 30));
}

}  // namespace
}  // namespace storage::batch
