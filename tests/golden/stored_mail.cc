#include "tests/golden/stored_mail.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lmtpd/mime/decomposer.h"

namespace golden {
namespace {

void require(const storage::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(storage::to_string(status.reason())) + ": " + status.detail());
}

}  // namespace

storage::Message decompose(std::string_view received, std::size_t piece) {
  static const lmtpd::mime::Options options;
  if (piece == 0) piece = std::max<std::size_t>(received.size(), 1);
  lmtpd::mime::Decomposer decomposer(options, sender, "2026-11-30 10:57:45");
  for (std::size_t at = 0; at < received.size(); at += piece) decomposer.feed(received.substr(at, piece));
  return decomposer.finish();
}

StoredMail::StoredMail(testing_support::Engine engine) : scratch_(engine), driver_(scratch_.driver()) {
  scratch_.sql().execute("DELETE FROM dbmail_headername WHERE headername = 'message-id'");
  require(driver_->open_admin(admin_));
  storage::UserRecord user;
  user.userid = "user1@example.org";
  require(admin_->add_user(user));
  std::vector<storage::MailboxRecord> mailboxes;
  require(admin_->list_mailboxes(user.id, mailboxes));
  inbox_ = storage::Target(user.id, mailboxes.at(0).name, mailboxes.at(0).id);
  require(driver_->connect(connection_));
}

std::vector<storage::MessageId> StoredMail::store(std::vector<storage::Message> messages) {
  std::vector<storage::Delivery> batch;
  for (storage::Message& message : messages) {
    batch.emplace_back(std::string(sender), std::move(message), std::vector<storage::Target>{inbox_});
    batch.back().salt = "salt " + std::to_string(++stored_);
  }
  std::vector<storage::TargetOutcome> outcomes(batch.size());
  require(connection_->store(batch, outcomes));
  std::vector<storage::MessageId> uids;
  for (const storage::TargetOutcome& outcome : outcomes) {
    require(outcome.status);
    uids.push_back(outcome.message_idnr);
  }
  return uids;
}

testing_support::MessageRows StoredMail::rows(storage::MessageId uid) {
  const std::string physmessage =
      scratch_.sql().value("SELECT physmessage_id FROM dbmail_messages WHERE message_idnr = " + std::to_string(uid));
  return testing_support::read_rows(scratch_.sql(), scratch_.engine(), std::stoll(physmessage));
}

storage::StoredMessage StoredMail::load(storage::MessageId uid) {
  std::optional<storage::StoredMessage> loaded;
  require(admin_->load_message(inbox_.mailbox_id, uid, loaded));
  return std::move(loaded.value());
}

std::size_t StoredMail::count() {
  return std::stoull(scratch_.sql().value("SELECT count(*) FROM dbmail_messages"));
}

std::vector<storage::PartView> views_of(const storage::StoredMessage& message) {
  std::vector<storage::PartView> views;
  for (const storage::StoredPart& part : message.parts)
    views.push_back({part.key, part.depth, part.order, part.is_header, part.data});
  return views;
}

}  // namespace golden
