#include "lmtpd/server/transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

#include "lmtpd/observe/metrics.h"

namespace lmtpd::server {
namespace {

using storage::Reason;
using storage::Status;
using storage::Target;
using storage::TargetOutcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class TransactionTest : public testing::Test {
 protected:
  TransactionTest() { transaction_.begin("sender@example.org", "4Wq1", OverQuota::temporary); }

  static delivery::Outcome outcome(const std::vector<Reason>& reasons) {
    std::vector<TargetOutcome> targets;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      TargetOutcome target{Status(reasons[i], "detail of the database")};
      target.key = storage::StoredKey(static_cast<storage::MailboxId>(i + 1), "id" + std::to_string(i));
      targets.push_back(std::move(target));
    }
    return delivery::Outcome(std::move(targets));
  }
  static std::vector<std::string> wires(const std::vector<protocol::Reply>& replies) {
    std::vector<std::string> texts;
    for (const protocol::Reply& reply : replies) texts.push_back(reply.wire());
    return texts;
  }
  std::size_t lines() const {
    const std::string text = log_.str();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  std::ostringstream log_;
  observe::Metrics metrics_;
  observe::MailLog mail_log_{
      std::make_shared<spdlog::logger>("t", std::make_shared<spdlog::sinks::ostream_sink_st>(log_)),
      observe::LogFormat::text, metrics_};
  const std::string session_ = "s-1";
  Transaction transaction_{mail_log_, session_};
};

TEST_F(TransactionTest, TargetsAreDistinctAndRepliesFollowTheRecipients) {
  transaction_.add_recipient("a@example.test", {Target(1, "INBOX", 10)});
  transaction_.add_recipient("b@example.test", {Target(2, "INBOX", 0)});
  transaction_.add_recipient("both@example.test",
                             {Target(2, "INBOX", 0), Target(1, "INBOX", 10), Target(3, "INBOX", 0)});
  transaction_.add_recipient("a+x@example.test", {Target(1, "x", 11)});
  const storage::Delivery delivery = transaction_.delivery(storage::Message(), false);
  EXPECT_THAT(delivery.targets,
              ElementsAre(Target(1, "INBOX", 10), Target(2, "INBOX", 0), Target(3, "INBOX", 0), Target(1, "x", 11)));
  EXPECT_EQ(delivery.sender, "sender@example.org");
  EXPECT_EQ(delivery.salt, "");

  const auto replies =
      wires(transaction_.replies(outcome({Reason::ok, Reason::no_such_mailbox, Reason::ok, Reason::unavailable})));
  EXPECT_THAT(replies, ElementsAre("250 2.0.0 id0 Saved\r\n", "550 5.1.1 No such mailbox here\r\n",
                                   "250 2.0.0 id0 Saved\r\n", HasSubstr("451 4.3.0 ")));
  EXPECT_EQ(lines(), 6u);  // one for each target of each recipient
  EXPECT_THAT(log_.str(), HasSubstr("4Wq1"));
  for (const std::string& reply : replies) EXPECT_THAT(reply, testing::Not(HasSubstr("database")));
}

TEST_F(TransactionTest, SaltsAreDrawnForEachDelivery) {
  transaction_.add_recipient("a@example.test", {Target(1, "INBOX", 10)});
  const std::string first = transaction_.delivery(storage::Message(), true).salt;
  const std::string second = transaction_.delivery(storage::Message(), true).salt;
  EXPECT_THAT(first, SizeIs(32));
  EXPECT_NE(first, second);
}

TEST_F(TransactionTest, AWrongNumberOfOutcomesIsOurFault) {
  transaction_.add_recipient("a@example.test", {Target(1, "INBOX", 10)});
  transaction_.add_recipient("b@example.test", {Target(2, "INBOX", 20)});
  (void)transaction_.delivery(storage::Message(), false);
  EXPECT_THAT(wires(transaction_.replies(outcome({Reason::ok}))),
              ElementsAre(HasSubstr("451 4.3.0"), HasSubstr("451 4.3.0")));
}

TEST_F(TransactionTest, ClearedItKnowsNothing) {
  transaction_.add_recipient("a@example.test", {Target(1, "INBOX", 10)});
  transaction_.clear();
  EXPECT_EQ(transaction_.recipients(), 0u);
  EXPECT_EQ(transaction_.queue_id(), "");
  EXPECT_THAT(transaction_.refuse_all(Status(Reason::busy), 1), SizeIs(0));
  EXPECT_THAT(transaction_.delivery(storage::Message(), false).targets, SizeIs(0));
}

}  // namespace
}  // namespace lmtpd::server
