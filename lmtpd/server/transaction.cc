#include "lmtpd/server/transaction.h"

#include <array>
#include <cstdio>
#include <random>

namespace lmtpd::server {
namespace {

using protocol::Reply;
using storage::Reason;

std::string random_salt() {
  std::random_device device;
  std::string salt;
  for (int i = 0; i < 4; ++i) {
    std::array<char, 16> word{};
    std::snprintf(word.data(), word.size(), "%08x", static_cast<unsigned>(device()));
    salt += word.data();
  }
  return salt;
}

// "250 2.0.0"
std::string code_of(const Reply& reply) {
  return std::to_string(reply.code()) + " " + reply.enhanced();
}

}  // namespace

void Transaction::begin(std::string_view sender, std::string_view queue_id, OverQuota over_quota) {
  clear();
  sender_ = sender;
  queue_id_ = queue_id;
  over_quota_ = over_quota;
}

void Transaction::clear() {
  sender_.clear();
  queue_id_.clear();
  recipients_ = {};
  targets_ = {};
  target_index_.clear();
  size_ = 0;
  message_id_.clear();
}

std::size_t Transaction::index_of(const storage::Target& target) {
  TargetKey key(target.mailbox_id, 0, std::string());
  if (target.mailbox_id == 0) key = TargetKey(0, target.user, target.mailbox);
  const auto [place, added] = target_index_.try_emplace(std::move(key), targets_.size());
  if (added) targets_.push_back(target);
  return place->second;
}

void Transaction::add_recipient(std::string path, const std::vector<storage::Target>& targets) {
  Recipient recipient{std::move(path), {}};
  for (const storage::Target& target : targets) recipient.targets.push_back(index_of(target));
  recipients_.push_back(std::move(recipient));
}

observe::OutcomeLine Transaction::line(std::string_view path) const {
  observe::OutcomeLine line;
  line.queue_id = queue_id_;
  line.session = session_;
  line.sender = sender_;
  line.recipient = path;
  line.size = size_;
  line.message_id = message_id_;
  return line;
}

Reply Transaction::refuse_recipient(std::string_view path, const storage::Status& status) {
  Reply reply = reply_for(status.reason(), over_quota_);
  const std::string code = code_of(reply);
  observe::OutcomeLine entry = line(path);
  entry.reason = status.reason();
  entry.reply = code;
  entry.detail = status.detail();
  mail_log_.outcome(entry);
  return reply;
}

storage::Delivery Transaction::delivery(storage::Message message, bool salted) {
  size_ = message.message_size;
  message_id_ = message.facts.message_id;
  storage::Delivery delivery(sender_, std::move(message), targets_);
  if (salted) delivery.salt = random_salt();
  return delivery;
}

Reply Transaction::reply_to(const Recipient& recipient, const delivery::Outcome& outcome) {
  std::vector<Reason> reasons;
  for (const std::size_t target : recipient.targets) reasons.push_back(outcome.targets[target].status.reason());
  const std::size_t speaker = recipient.targets[speaking_outcome(reasons, over_quota_)];
  const storage::TargetOutcome& spoken = outcome.targets[speaker];
  Reply reply = reply_for(spoken.status.reason(), over_quota_, spoken.key.unique_id);
  const std::string code = code_of(reply);
  for (const std::size_t target : recipient.targets) {
    const storage::TargetOutcome& result = outcome.targets[target];
    observe::OutcomeLine entry = line(recipient.path);
    entry.delivery = result.key.unique_id;
    entry.mailbox = targets_[target].mailbox;
    entry.mailbox_id = result.key.mailbox != 0 ? result.key.mailbox : targets_[target].mailbox_id;
    entry.user = targets_[target].user;
    entry.uid = result.message_idnr;
    entry.reason = result.status.reason();
    entry.reply = code;
    entry.detail = result.status.detail();
    entry.wait = outcome.wait;
    entry.commit = outcome.commit;
    entry.batch_size = outcome.batch_size;
    mail_log_.outcome(entry);
  }
  return reply;
}

std::vector<Reply> Transaction::replies(const delivery::Outcome& outcome) {
  if (outcome.targets.size() != targets_.size()) {
    return refuse_all(storage::Status(Reason::internal, "outcomes and targets differ in number"), size_);
  }
  std::vector<Reply> replies;
  replies.reserve(recipients_.size());
  for (const Recipient& recipient : recipients_) replies.push_back(reply_to(recipient, outcome));
  return replies;
}

std::vector<Reply> Transaction::refuse_all(const storage::Status& status, std::uint64_t octets) {
  size_ = octets;
  std::vector<Reply> replies;
  replies.reserve(recipients_.size());
  for (const Recipient& recipient : recipients_) replies.push_back(refuse_recipient(recipient.path, status));
  return replies;
}

}  // namespace lmtpd::server
