#include <nlohmann/json.hpp>

#include <ostream>

#include "lmtpd/ctl/commands.h"
#include "lmtpd/ctl/text.h"

namespace lmtpd::ctl {
namespace {

std::string result_sentence(const storage::Resolution& result) {
  if (!result.status.ok()) {
    const storage::Reason reason = result.status.reason();
    return "refused: " + std::string(storage::to_string(reason)) +
           (storage::is_transient(reason) ? " (temporary: the sender keeps the mail and tries again)"
                                          : " (permanent: a bounce)");
  }
  std::string out = "delivered to";
  for (const storage::Target& target : result.targets) {
    out += " user " + std::to_string(target.user) + " mailbox '" + target.mailbox + "'" +
           (target.mailbox_id == 0 ? " (created at the first delivery)" : "") + ",";
  }
  out.pop_back();
  return out;
}

}  // namespace

int explain(Session& session, const std::string& address) {
  std::vector<std::string> steps;
  storage::Resolution result;
  Session::require(session.admin().explain(parse_address(address), steps, result));
  const bool good = result.status.ok();
  if (!session.json) {
    for (const std::string& step : steps) session.out() << step << '\n';
    for (const std::string& skipped : result.skipped) {
      session.out() << "left out: " << skipped << " (lmtpd neither forwards nor executes alias targets)\n";
    }
    session.out() << result_sentence(result) << '\n';
    return good ? exit_yes : exit_no;
  }
  nlohmann::json targets = nlohmann::json::array();
  for (const storage::Target& target : result.targets) {
    targets.push_back({{"user", target.user}, {"mailbox", target.mailbox}, {"mailbox_id", target.mailbox_id}});
  }
  session.print({{"address", address},
                 {"steps", steps},
                 {"result", std::string(storage::to_string(result.status.reason()))},
                 {"temporary", storage::is_transient(result.status.reason())},
                 {"targets", targets},
                 {"skipped", result.skipped}});
  return good ? exit_yes : exit_no;
}

}  // namespace lmtpd::ctl
