#include "lmtpd/ctl/session.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "lmtpd/ctl/text.h"

namespace lmtpd::ctl {

Session::Session(std::unique_ptr<storage::Driver> driver, std::istream& in, std::ostream& out, std::ostream& err)
    : driver_(std::move(driver)), in_(in), out_(out), err_(err) {}

Session::~Session() = default;

storage::Admin& Session::admin() {
  if (!admin_) require(driver_->open_admin(admin_));
  return *admin_;
}

void Session::require(const storage::Status& status) {
  if (status.ok()) return;
  if (!status.detail().empty()) throw Refused(status.detail());
  throw Refused("the store answered: " + std::string(storage::to_string(status.reason())));
}

storage::UserRecord Session::user(std::string_view userid) {
  std::optional<storage::UserRecord> found;
  require(admin().find_user(userid, found));
  if (!found) throw Refused("no such user: " + std::string(userid) + "; 'lmtpctl user list' shows all");
  return *found;
}

storage::MailboxRecord Session::mailbox(const storage::UserRecord& user, std::string_view name) {
  std::vector<storage::MailboxRecord> mailboxes;
  require(admin().list_mailboxes(user.id, mailboxes));
  for (storage::MailboxRecord& mailbox : mailboxes) {
    if (mailbox.name == name) return std::move(mailbox);
  }
  for (storage::MailboxRecord& mailbox : mailboxes) {
    if (equal_without_case(mailbox.name, name)) return std::move(mailbox);
  }
  throw Refused("user " + user.userid + " has no mailbox '" + std::string(name) + "'; 'lmtpctl mailbox list " +
                user.userid + "' shows all");
}

void Session::warn(std::string_view sentence) { err_ << "lmtpctl: " << sentence << '\n'; }

void Session::print(const nlohmann::json& document) {
  out_ << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

}  // namespace lmtpd::ctl
