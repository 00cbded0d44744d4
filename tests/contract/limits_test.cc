// A55: limits of statements, parameters and packets.
#include "tests/contract/contract.h"

namespace contract {
namespace {

class Limits : public Contract {
 protected:
  void SetUp() override { alice_ = store().add_user("alice@example.org"); }
  UserId alice_ = 0;
};

// More values than a statement of any engine can bind (65,535 on PostgreSQL and MySQL).
TEST_P(Limits, AMessageOfVeryManyRows) {
  MadeMessage made;
  for (int i = 2; i < 12002; ++i) {
    made.part(i, 1, 1, false, "part " + std::to_string(i));
  }
  for (int i = 0; i < 3000; ++i) {
    made.header("to", "value " + std::to_string(i)).reference(std::to_string(i) + "@example.org");
  }
  const storage::Message message = made.build();
  const auto outcomes = deliver_one(message, {store().inbox_of(alice_)});
  ASSERT_EQ(reasons(outcomes), std::vector{Reason::ok});
  EXPECT_EQ(lines_of(store().rows(store().entry(outcomes[0].message_idnr).physmessage)),
            lines_of(message, store().header_names()));
}

TEST_P(Limits, VeryManyTargets) {
  std::vector<Target> targets;
  for (int i = 0; i < 1000; ++i) targets.emplace_back(alice_, "box" + std::to_string(i), 0);
  const auto outcomes = deliver_one(MadeMessage().build(), targets);
  EXPECT_THAT(reasons(outcomes), testing::Each(Reason::ok));
  EXPECT_EQ(store().counts().messages, 1000);
  EXPECT_EQ(store().counts().physmessages, 1);
}

TEST_P(Limits, ABatchOfLargeBlobs) {
  std::vector<Delivery> batch;
  for (int i = 0; i < 4; ++i) {
    batch.push_back(
        delivery_of(MadeMessage(std::string(5 << 20, static_cast<char>('a' + i))).build(), {store().inbox_of(alice_)}));
  }
  const auto outcomes = deliver(batch);
  EXPECT_THAT(reasons(outcomes), testing::Each(Reason::ok));
  const Entry entry = store().entry(outcomes.back().message_idnr);
  EXPECT_EQ(lines_of(store().rows(entry.physmessage)), lines_of(batch.back().message, store().header_names()));
}

// A value that some engine cannot hold costs that cached value, not the mail.
TEST_P(Limits, ValuesThatCannotBeCachedAreLeftOut) {
  MadeMessage made;
  made.header("to", std::string(65536, 'x')).header("cc", std::string("nul\0here", 8)).header("bcc", "good");
  made.reference(std::string(256, 'r')).reference(std::string(255, 'r'));
  EXPECT_EQ(reasons(deliver_one(made.build(), {store().inbox_of(alice_)})), std::vector{Reason::ok});
  EXPECT_EQ(store().counts().headers, 5);
  EXPECT_EQ(store().counts().references, 1);
}

TEST_P(Limits, TheLargestMessageIsKnown) {
  std::uint64_t octets = 0;
  EXPECT_OK(driver().max_message_size(octets));
  EXPECT_GE(octets, 1u << 20);
}

ON_EVERY_ENGINE(Limits);

}  // namespace
}  // namespace contract
