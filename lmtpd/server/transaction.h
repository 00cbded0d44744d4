// lmtpd/server/transaction.h: what one mail transaction has gathered, and what its recipients are told: RCPTs in,
// distinct targets for the delivery out; outcomes per target in, one reply per accepted RCPT out, in RCPT order, each
// with its log lines. One session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lmtpd/delivery/outcome.h"
#include "lmtpd/observe/mail_log.h"
#include "lmtpd/protocol/reply.h"
#include "lmtpd/server/outcome_replies.h"
#include "storage/delivery.h"
#include "storage/message.h"

namespace lmtpd::server {

class Transaction {
 public:
  // mail_log and session (its name) outlive the transaction.
  Transaction(observe::MailLog& mail_log, const std::string& session) : mail_log_(mail_log), session_(session) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void begin(std::string_view sender, std::string_view queue_id, OverQuota over_quota);
  void clear();

  // An accepted RCPT: `path` as given, and its targets. Two RCPTs that mean one mailbox share a target.
  void add_recipient(std::string path, const std::vector<storage::Target>& targets);
  // A refused one: logged, and its reply.
  [[nodiscard]] protocol::Reply refuse_recipient(std::string_view path, const storage::Status& status);
  [[nodiscard]] std::size_t recipients() const { return recipients_.size(); }
  [[nodiscard]] const std::string& sender() const { return sender_; }
  [[nodiscard]] const std::string& queue_id() const { return queue_id_; }

  // The message leaves for the pipeline; its facts stay here for the log. salted: redeliveries shall not be recognised.
  [[nodiscard]] storage::Delivery delivery(storage::Message message, bool salted);

  // One reply per accepted RCPT, in order, and the log lines.
  [[nodiscard]] std::vector<protocol::Reply> replies(const delivery::Outcome& outcome);
  // The same for a message that was refused as a whole.
  std::vector<protocol::Reply> refuse_all(const storage::Status& status, std::uint64_t octets);

 private:
  struct Recipient {
    std::string path;
    std::vector<std::size_t> targets;  // indexes into targets_
  };
  using TargetKey = std::tuple<storage::MailboxId, storage::UserId, std::string>;

  std::size_t index_of(const storage::Target& target);
  protocol::Reply reply_to(const Recipient& recipient, const delivery::Outcome& outcome);
  [[nodiscard]] observe::OutcomeLine line(std::string_view path) const;

  observe::MailLog& mail_log_;
  const std::string& session_;
  std::string sender_;
  std::string queue_id_;
  OverQuota over_quota_ = OverQuota::temporary;
  std::vector<Recipient> recipients_;
  std::vector<storage::Target> targets_;  // distinct
  std::map<TargetKey, std::size_t> target_index_;
  std::uint64_t size_ = 0;  // of the message, and its Message-ID, once it has left
  std::string message_id_;
};

}  // namespace lmtpd::server
