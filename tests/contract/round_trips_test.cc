// The number of round trips: bounded, and the same for one message and for fifty.
#include <atomic>

#include "tests/contract/contract.h"

namespace contract {
namespace {

class RoundTrips : public Contract {
 protected:
  void SetUp() override {
    for (int i = 0; i < 10; ++i) users_.push_back(store().add_user("user" + std::to_string(i) + "@example.org"));
    for (const UserId user : users_) inboxes_.push_back(store().inbox_of(user));
    use([this](storage::Options& options) {
      options.statement_hook = [this](std::string_view name) {
        ++statements_;
        if (name == "commit") ++commits_;
        return storage::Fault::none;
      };
    });
    connection_ = connect(driver());
    // Caches are filled by the first batch of a connection.
    (void)store_batch(50, 20);
  }

  int store_batch(int messages, int parts) {
    std::vector<Delivery> batch;
    for (int i = 0; i < messages; ++i) {
      const std::string name = std::to_string(++number_);
      MadeMessage made("body " + name);
      made.header("to", "to " + name).header("cc", "the same").reference("r" + name + "@example.org");
      for (int p = 2; p < 2 + parts; ++p) made.part(p, 1, 1, false, "part " + name + "." + std::to_string(p));
      const auto i_mod = static_cast<std::size_t>(i) % inboxes_.size();
      batch.push_back(delivery_of(made.build(), {inboxes_[i_mod], inboxes_[(i_mod + 1) % inboxes_.size()]}));
    }
    statements_ = 0;
    EXPECT_THAT(reasons(deliver(*connection_, batch)), testing::Each(Reason::ok));
    return statements_;
  }

  std::atomic<int> statements_ = 0;
  std::atomic<int> commits_ = 0;
  int number_ = 0;
  std::vector<UserId> users_;
  std::vector<Target> inboxes_;
  std::unique_ptr<Connection> connection_;
};

TEST_P(RoundTrips, DoNotGrowWithTheBatch) {
  const int one = store_batch(1, 1);
  const int ten = store_batch(10, 1);
  const int fifty = store_batch(50, 1);
  const int fifty_with_many_parts = store_batch(50, 20);
  RecordProperty("round_trips", one);
  // A stroke of the transaction each; MySQL writes in two. Step by step 18.
  EXPECT_LE(one, GetParam() == Kind::postgresql ? 3 : GetParam() == Kind::mysql ? 4 : 22);
  // Ids are drawn in blocks by one engine: that statement may come or not.
  EXPECT_LE(ten, one + 1);
  EXPECT_LE(fifty, one + 1);
  EXPECT_LE(fifty_with_many_parts, one + 1);
}

// Field report A59: a transaction per header look-up, seconds per message.
TEST_P(RoundTrips, A59DoNotDependOnHeadersPartsOrRecipients) {
  const auto counts_for = [&](int headers, int parts, std::ptrdiff_t recipients) {
    MadeMessage made("mail " + std::to_string(++number_));
    for (int h = 0; h < headers; ++h) made.header("to", "to " + std::to_string(number_) + "." + std::to_string(h));
    for (int p = 0; p < parts; ++p) made.part(p + 2, 1, 1, false, "mail " + std::to_string(number_ * 100 + p));
    std::vector<Delivery> batch;
    batch.push_back(delivery_of(made.build(), {inboxes_.begin(), inboxes_.begin() + recipients}));
    statements_ = commits_ = 0;
    EXPECT_THAT(reasons(deliver(*connection_, batch)), testing::Each(Reason::ok));
    return std::pair(statements_.load(), commits_.load());
  };
  const auto [small, commits_of_small] = counts_for(1, 1, 1);
  const auto [large, commits_of_large] = counts_for(40, 5, 3);
  EXPECT_LE(large, small + 1);  // one engine draws ids in blocks
  EXPECT_EQ(commits_of_small, 1);
  EXPECT_EQ(commits_of_large, 1);
}

TEST_P(RoundTrips, OfARedelivery) {
  std::vector<Delivery> batch;
  for (int i = 0; i < 50; ++i)
    batch.push_back(delivery_of(MadeMessage("x" + std::to_string(i)).build(), {inboxes_[0]}));
  (void)deliver(*connection_, batch);
  statements_ = 0;
  EXPECT_THAT(reasons(deliver(*connection_, batch)), testing::Each(Reason::already_stored));
  EXPECT_LE(statements_, 5);  // BEGIN, look-ups of messages, parts and values, ROLLBACK
}

TEST_P(RoundTrips, OfLookUps) {
  store().add_alias("list@example.org", std::to_string(users_[0]));
  std::vector<storage::Address> addresses(100, storage::Address("list+x", "a.b.example.org"));
  addresses.front() = storage::Address("list+x", "example.org");
  std::vector<storage::Resolution> out(addresses.size());
  statements_ = 0;
  EXPECT_OK(connection_->resolve(addresses, out));
  EXPECT_LE(statements_, 4);
  statements_ = 0;
  EXPECT_OK(connection_->resolve(std::span(addresses).first(1), std::span(out).first(1)));
  EXPECT_LE(statements_, 4);
  EXPECT_TRUE(out[0].status.ok());
}

TEST_P(RoundTrips, APingIsOne) {
  statements_ = 0;
  EXPECT_OK(connection_->ping());
  EXPECT_LE(statements_, 1);
}

ON_EVERY_ENGINE(RoundTrips);

}  // namespace
}  // namespace contract
