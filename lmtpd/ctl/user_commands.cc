#include <nlohmann/json.hpp>

#include <istream>
#include <ostream>
#include <utility>

#include "lmtpd/config/value.h"
#include "lmtpd/ctl/commands.h"
#include "lmtpd/ctl/password.h"
#include "lmtpd/ctl/text.h"

namespace lmtpd::ctl {
namespace {

std::int64_t quota_octets(const std::string& text) {
  std::int64_t octets = 0;
  const bool plain = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!config::parse_octets(plain ? text + "B" : text, octets)) {
    throw Refused("--quota " + text + R"( is no size; use octets, or "500MiB", "2GiB", or 0 for no limit)", exit_usage);
  }
  return octets;
}

StoredPassword password_from(std::istream& in, const std::string& scheme) {
  std::string clear;
  std::getline(in, clear);
  if (!clear.empty() && clear.back() == '\r') clear.pop_back();
  return hash_password(clear, scheme);
}

void set_password(storage::UserRecord& user, StoredPassword password) {
  user.passwd = std::move(password.passwd);
  user.encryption_type = std::move(password.encryption_type);
}

nlohmann::json to_json(const storage::UserRecord& user) {
  return {{"id", user.id},     {"userid", user.userid}, {"quota", user.max_size}, {"used", user.used_size},
          {"active", user.active}, {"internal", user.internal}};
}

// The user stays when an alias is refused, so the sentence says so.
void add_aliases(Session& session, const NewUser& wanted, const storage::UserRecord& user) {
  for (const std::string& address : wanted.aliases) {
    storage::AliasRecord alias{0, address, std::to_string(user.id)};
    const storage::Status status = session.admin().add_alias(alias);
    if (!status.ok()) {
      throw Refused("user " + user.userid + " is added, but not the alias " + address + ": " + status.detail() +
                    "; go on with 'lmtpctl alias add'");
    }
  }
}

}  // namespace

int user_add(Session& session, const NewUser& wanted) {
  require_name("the name of a user", wanted.userid);
  for (const std::string& address : wanted.aliases) require_name("an alias", address);
  storage::UserRecord user;
  user.userid = wanted.userid;
  set_password(user, wanted.password_stdin ? password_from(session.in(), wanted.password_scheme) : no_login());
  user.max_size = quota_octets(wanted.quota);
  Session::require(session.admin().add_user(user));
  add_aliases(session, wanted, user);
  if (session.json) {
    session.print(to_json(user));
  } else {
    session.out() << "added user " << user.userid << " (id " << user.id << ")\n";
  }
  return exit_yes;
}

int user_set(Session& session, const UserChange& change) {
  if (!change.quota && !change.active && !change.password_stdin) {
    throw Refused("nothing to change: give --quota, --active or --password-stdin", exit_usage);
  }
  storage::UserRecord user = session.user(change.user);
  if (user.internal) throw Refused(user.userid + " is one of the store's own users and stays as it is");
  if (change.password_stdin) set_password(user, password_from(session.in(), change.password_scheme));
  if (change.quota) user.max_size = quota_octets(*change.quota);
  user.active = change.active.value_or(user.active);
  Session::require(session.admin().update_user(user));
  if (session.json) {
    session.print(to_json(user));
  } else {
    session.out() << "user " << user.userid << ": " << (user.active ? "active" : "inactive") << ", quota "
                  << (user.max_size == 0 ? "none" : std::to_string(user.max_size)) << ", used " << user.used_size
                  << (change.password_stdin ? ", new password" : "") << '\n';
  }
  return exit_yes;
}

int user_list(Session& session) {
  std::vector<storage::UserRecord> users;
  Session::require(session.admin().list_users(users));
  if (session.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& user : users) list.push_back(to_json(user));
    session.print(list);
    return exit_yes;
  }
  std::vector<std::vector<std::string>> rows{{"ID", "USERID", "QUOTA", "USED", "STATE"}};
  for (const auto& user : users) {
    if (user.internal) continue;
    rows.push_back({std::to_string(user.id), user.userid, user.max_size == 0 ? "-" : std::to_string(user.max_size),
                    std::to_string(user.used_size), user.active ? "active" : "inactive"});
  }
  session.out() << table(rows);
  return exit_yes;
}

int user_remove(Session& session, const std::string& userid) {
  const storage::UserRecord user = session.user(userid);
  if (user.internal) throw Refused(user.userid + " is one of the store's own users and stays");
  Session::require(session.admin().remove_user(user.id));
  if (session.json) {
    session.print({{"removed", user.userid}, {"id", user.id}});
  } else {
    session.out() << "removed user " << user.userid << " with all mailboxes and messages\n";
  }
  return exit_yes;
}

}  // namespace lmtpd::ctl
