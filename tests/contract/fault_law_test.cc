// The law of exactly once (DECISIONS.md 6), inside each engine: whatever fails at whatever statement, success means
// exactly one copy, and after a failure the identical retry ends with exactly one copy; never two, and nothing half
// done.
#include <atomic>
#include <optional>

#include "tests/contract/contract.h"

namespace contract {
namespace {

using storage::Fault;

// Fails the k-th statement from arm() on, once.
class OneFault {
 public:
  void arm(int k, Fault fault) {
    fault_ = fault;
    left_ = k;
  }
  void disarm() { left_ = 0; }
  [[nodiscard]] bool struck() const { return left_ <= 0; }
  Fault operator()() { return left_ > 0 && --left_ == 0 ? fault_.load() : Fault::none; }

 private:
  std::atomic<int> left_ = 0;
  std::atomic<Fault> fault_ = Fault::none;
};

const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::fail_before:
      return "fail_before";
    case Fault::fail_after:
      return "fail_after";
    case Fault::cut:
      return "cut";
  }
  return "";
}

class FaultLaw : public Contract {
 protected:
  void SetUp() override {
    for (const char* name : {"alice@example.org", "bob@example.org", "carl@example.org"})
      users_.push_back(store().add_user(name));
    for (const UserId user : users_) inboxes_.push_back(store().inbox_of(user));
    use([this](storage::Options& options) {
      options.statement_hook = [this](std::string_view) { return fault_(); };
      options.cache_new_header_names = true;
    });
  }

  std::vector<Delivery> batch_for(int number, std::size_t targets) {
    std::vector<Delivery> batch;
    const std::string name = "message " + std::to_string(number);
    MadeMessage made(name);
    made.header("x-" + std::to_string(number), "v").reference("r@example.org").part(2, 1, 1, false, "shared");
    batch.push_back(delivery_of(
        made.build(), std::vector<Target>(inboxes_.begin(), inboxes_.begin() + static_cast<std::ptrdiff_t>(targets))));
    // A second one whose copy is refused: delete_content is among the statements.
    batch.push_back(delivery_of(MadeMessage("refused " + name).size(1u << 30).build(), {full_inbox()}));
    return batch;
  }
  Target full_inbox() {
    if (!full_) full_ = store().inbox_of(store().add_user("full@example.org", 10));
    return *full_;
  }

  // One attempt with a fault, then what a lane and a sender do until it is stored. False: there were fewer than k
  // statements.
  bool run(int k, Fault fault, const std::vector<Delivery>& batch);
  void settle_and_check(std::vector<TargetOutcome>& outcomes, std::int64_t before);
  std::int64_t copies(std::int64_t before) { return store().counts().messages - before; }

  OneFault fault_;
  std::vector<UserId> users_;
  std::vector<Target> inboxes_;
  std::optional<Target> full_;
};

bool FaultLaw::run(int k, Fault fault, const std::vector<Delivery>& batch) {
  const auto targets = static_cast<std::int64_t>(batch[0].targets.size());
  const std::int64_t before = store().counts().messages;
  std::vector<TargetOutcome> outcomes(targets_of(batch));
  {
    const auto connection = connect(driver());
    fault_.arm(k, fault);
    const Status status = connection->store(batch, outcomes);
    const bool struck = fault_.struck();
    fault_.disarm();
    if (status.reason() != Reason::in_doubt) {
      EXPECT_EQ(copies(before), status.ok() ? targets : 0);
    }
    EXPECT_TRUE(status.ok() || storage::is_transient(status.reason()));
    if (status.reason() == Reason::in_doubt) settle_and_check(outcomes, before);
    if (!struck) return false;
    // A connection that calls itself usable is.
    if (connection->usable()) EXPECT_OK(connection->ping());
  }
  const auto retry = connect(driver());
  const auto after = deliver(*retry, batch);
  for (std::int64_t i = 0; i < targets; ++i) EXPECT_TRUE(after[static_cast<std::size_t>(i)].status.ok());
  EXPECT_EQ(after.back().status.reason(), Reason::over_quota);
  EXPECT_EQ(copies(before), targets);
  return true;
}

// Each answer of settle() is the truth.
void FaultLaw::settle_and_check(std::vector<TargetOutcome>& outcomes, std::int64_t before) {
  const auto fresh = connect(driver());
  EXPECT_OK(fresh->settle(outcomes));
  std::int64_t found = 0;
  for (const TargetOutcome& outcome : outcomes) found += outcome.status.ok() ? 1 : 0;
  EXPECT_EQ(found, copies(before));
}

TEST_P(FaultLaw, ExactlyOneCopyWhateverFails) {
  int number = 0;
  for (const std::size_t targets : {1u, 3u}) {
    for (const Fault fault : {Fault::fail_before, Fault::fail_after, Fault::cut}) {
      int statements = 0;
      for (int k = 1; k < 100; ++k) {
        SCOPED_TRACE(std::string(name_of(fault)) + " at statement " + std::to_string(k) +
                     ", targets: " + std::to_string(targets));
        const bool struck = run(k, fault, batch_for(++number, targets));
        if (HasFailure()) return;
        if (!struck) break;
        statements = k;
      }
      EXPECT_GE(statements,
                5);  // an engine that answers each stroke in one round trip has three, and a few before them
      EXPECT_LT(statements, 40);
    }
  }
  // Nothing half done anywhere: each physmessage belongs to the copies of one message.
  const Counts counts = store().counts();
  EXPECT_EQ(counts.physmessages, number);
  EXPECT_EQ(counts.envelopes, number);
  EXPECT_EQ(counts.references, number);
  EXPECT_EQ(counts.partlists, number * 3);
}

// Field report A61: clusters refuse at COMMIT what went well until then (Galera's certification, serialisation
// failures). Definite, so nothing is stored; the connection is good and takes the whole batch again.
TEST_P(FaultLaw, A61ARefusedCommitIsTriedAgainAsAWholeBatch) {
  int left = 2;
  use([&left](storage::Options& options) {
    options.statement_hook = [&left](std::string_view name) {
      return name == "commit" && left-- > 0 ? Fault::fail_before : Fault::none;
    };
  });
  std::vector<Delivery> batch;
  for (int i = 0; i < 5; ++i) batch.push_back(delivery_of(MadeMessage("mail " + std::to_string(i)).build(), inboxes_));
  const Counts before = store().counts();
  std::vector<TargetOutcome> outcomes(targets_of(batch));
  const auto connection = connect(driver());
  while (left > 0) {
    EXPECT_EQ(connection->store(batch, outcomes).reason(), Reason::conflict);
    EXPECT_TRUE(connection->usable());
    EXPECT_EQ(store().counts(), before);
  }
  EXPECT_THAT(reasons(deliver(*connection, batch)), testing::Each(Reason::ok));
  EXPECT_EQ(copies(before.messages), 15);
  EXPECT_EQ(store().counts().physmessages, 5);
}

TEST_P(FaultLaw, AFailedLookUpIsNoAnswer) {
  store().add_alias("list@example.org", "more@example.org");
  store().add_alias("more@example.org", std::to_string(users_[0]));
  const storage::Address address("list", "example.org");
  for (const Fault fault : {Fault::fail_before, Fault::fail_after, Fault::cut}) {
    for (int k = 1; k < 20; ++k) {
      const auto connection = connect(driver());
      storage::Resolution out;
      fault_.arm(k, fault);
      const Status status = connection->resolve(std::span(&address, 1), std::span(&out, 1));
      const bool struck = fault_.struck();
      fault_.disarm();
      if (!struck) {
        EXPECT_GE(k, 5);
        EXPECT_OK(status);
        break;
      }
      EXPECT_TRUE(!status.ok() && storage::is_transient(status.reason())) << storage::to_string(status.reason());
    }
  }
}

ON_EVERY_ENGINE(FaultLaw);

}  // namespace
}  // namespace contract
