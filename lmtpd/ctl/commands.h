// lmtpd/ctl/commands.h: the commands of lmtpctl, one function each. They print to Session::out(), return an exit status, and throw
// Refused for everything that goes wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lmtpd/ctl/session.h"

namespace lmtpd::ctl {

int schema_create(Session& session, const std::string& indexes);
int schema_check(Session& session);

struct NewUser {
  std::string userid;
  std::string quota = "0";           // a size as in the configuration; 0: no limit
  std::vector<std::string> aliases;  // addresses
  bool password_stdin = false;
  std::string password_scheme = "crypt";
};
int user_add(Session& session, const NewUser& wanted);
// What is not given stays as it is.
struct UserChange {
  std::string user;                  // name or id
  std::optional<std::string> quota;  // as above
  std::optional<bool> active;
  bool password_stdin = false;
  std::string password_scheme = "crypt";
};
int user_set(Session& session, const UserChange& change);
int user_list(Session& session);
int user_remove(Session& session, const std::string& userid);

int alias_add(Session& session, const std::string& alias, const std::string& target);
int alias_list(Session& session, const std::string& alias);
int alias_remove(Session& session, const std::string& alias, const std::string& target);

int mailbox_list(Session& session, const std::string& userid);
int message_list(Session& session, const std::string& userid, const std::string& mailbox);
int message_export(Session& session, const std::string& userid, const std::string& mailbox, std::int64_t uid);

int explain(Session& session, const std::string& address);

// argv → exit status: reads the configuration, opens the store, runs one command. What main() does, testable.
int run(int argc, const char* const* argv, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace lmtpd::ctl
