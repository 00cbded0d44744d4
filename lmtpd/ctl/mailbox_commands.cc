#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>

#include "lmtpd/ctl/commands.h"
#include "lmtpd/ctl/text.h"
#include "storage/reassembly.h"

namespace lmtpd::ctl {
namespace {

nlohmann::json to_json(const storage::MessageRecord& message) {
  return {{"uid", message.uid},
          {"size", message.size},
          {"subject", unfolded(message.subject)},
          {"from", unfolded(message.from)},
          {"date", rfc3339(message.internal_date)},
          {"unique_id", message.unique_id},
          {"physmessage", message.physmessage_id}};
}

std::vector<storage::PartView> views(const storage::StoredMessage& message) {
  std::vector<storage::PartView> rows;
  for (const storage::StoredPart& part : message.parts) {
    rows.push_back({part.key, part.depth, part.order, part.is_header, part.data});
  }
  return rows;
}

}  // namespace

int mailbox_list(Session& session, const std::string& userid) {
  const storage::UserRecord user = session.user(userid);
  std::vector<storage::MailboxRecord> mailboxes;
  Session::require(session.admin().list_mailboxes(user.id, mailboxes));
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "MESSAGES", "OCTETS"}};
  for (const auto& mailbox : mailboxes) {
    list.push_back({{"id", mailbox.id},
                    {"name", mailbox.name},
                    {"messages", mailbox.messages},
                    {"octets", mailbox.octets},
                    {"seq", mailbox.seq}});
    rows.push_back({std::to_string(mailbox.id), mailbox.name, std::to_string(mailbox.messages),
                    std::to_string(mailbox.octets)});
  }
  if (session.json) {
    session.print(list);
  } else {
    session.out() << table(rows);
  }
  return exit_yes;
}

int message_list(Session& session, const std::string& userid, const std::string& mailbox) {
  const storage::UserRecord user = session.user(userid);
  const storage::MailboxId box = session.mailbox(user, mailbox).id;
  std::vector<storage::MessageRecord> messages;
  Session::require(session.admin().list_messages(user.id, box, messages));
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{{"UID", "SIZE", "DATE", "FROM", "SUBJECT"}};
  for (const auto& message : messages) {
    list.push_back(to_json(message));
    rows.push_back({std::to_string(message.uid), std::to_string(message.size), rfc3339(message.internal_date),
                    unfolded(message.from), unfolded(message.subject)});
  }
  if (session.json) {
    session.print(list);
  } else {
    session.out() << table(rows);
  }
  return exit_yes;
}

int message_export(Session& session, const std::string& userid, const std::string& mailbox, std::int64_t uid) {
  const storage::UserRecord user = session.user(userid);
  const storage::MailboxRecord box = session.mailbox(user, mailbox);
  std::optional<storage::StoredMessage> message;
  Session::require(session.admin().load_message(box.id, uid, message));
  if (!message) {
    throw Refused("mailbox " + box.name + " of " + user.userid + " has no message with UID " + std::to_string(uid));
  }
  const std::string octets = storage::export_message(views(*message), message->message_size);
  if (session.json) {
    nlohmann::json shown{{"uid", uid}, {"size", message->message_size}, {"rfc_size", message->rfc_size}};
    // JSON strings are UTF-8: mail that is not would lose octets.
    if (is_utf8(octets)) {
      shown["octets"] = octets;
    } else {
      shown["base64"] = base64(octets);
    }
    session.print(shown);
  } else {
    session.out().write(octets.data(), static_cast<std::streamsize>(octets.size()));
  }
  return exit_yes;
}

}  // namespace lmtpd::ctl
