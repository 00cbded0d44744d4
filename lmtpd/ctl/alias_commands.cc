#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <ostream>
#include <vector>

#include "lmtpd/ctl/commands.h"
#include "lmtpd/ctl/text.h"

namespace lmtpd::ctl {
namespace {

// A name in deliver_to would be an external address to DBMail and to us, so a user's name becomes his id.
std::string deliver_to(Session& session, const std::string& target) {
  std::optional<storage::UserRecord> user;
  Session::require(session.admin().find_user(target, user));
  if (user) return std::to_string(user->id);
  const bool numeric = !target.empty() && target.find_first_not_of("0123456789") == std::string::npos;
  if (numeric) return target;
  if (target.front() == '|' || target.front() == '!') {
    throw Refused("'" + target + "' is a command; lmtpd never executes alias targets", exit_usage);
  }
  std::vector<storage::AliasRecord> aliases;
  Session::require(session.admin().list_aliases(aliases));
  const bool known = std::any_of(aliases.begin(), aliases.end(),
                                 [&](const auto& other) { return equal_without_case(other.alias, target); });
  if (!known) {
    session.warn("'" + target + "' is neither user nor alias here: external as long as it is not, and lmtpd does not forward");
  }
  return target;
}

nlohmann::json to_json(const storage::AliasRecord& alias) {
  return {{"id", alias.id}, {"alias", alias.alias}, {"deliver_to", alias.deliver_to}};
}

}  // namespace

int alias_add(Session& session, const std::string& alias, const std::string& target) {
  require_name("an alias", alias);
  require_name("the target of an alias", target);
  storage::AliasRecord record{0, alias, deliver_to(session, target)};
  Session::require(session.admin().add_alias(record));
  if (session.json) {
    session.print(to_json(record));
  } else {
    session.out() << "added alias " << record.alias << " -> " << record.deliver_to << '\n';
  }
  return exit_yes;
}

int alias_list(Session& session, const std::string& alias) {
  std::vector<storage::AliasRecord> aliases;
  Session::require(session.admin().list_aliases(aliases));
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{{"ALIAS", "DELIVER TO"}};
  for (const auto& record : aliases) {
    if (!alias.empty() && !equal_without_case(alias, record.alias)) continue;
    list.push_back(to_json(record));
    rows.push_back({record.alias, record.deliver_to});
  }
  if (session.json) {
    session.print(list);
  } else {
    session.out() << table(rows);
  }
  return exit_yes;
}

int alias_remove(Session& session, const std::string& alias, const std::string& target) {
  std::string wanted = target;
  if (!target.empty()) {
    std::optional<storage::UserRecord> user;
    Session::require(session.admin().find_user(target, user));
    if (user) wanted = std::to_string(user->id);
  }
  std::uint64_t removed = 0;
  Session::require(session.admin().remove_alias(alias, wanted, removed));
  if (removed == 0) throw Refused("no such alias: " + alias + (target.empty() ? "" : " -> " + target));
  if (session.json) {
    session.print({{"removed", removed}});
  } else {
    session.out() << "removed " << removed << (removed == 1 ? " alias\n" : " aliases\n");
  }
  return exit_yes;
}

}  // namespace lmtpd::ctl
