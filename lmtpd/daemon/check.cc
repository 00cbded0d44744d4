#include "lmtpd/daemon/check.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "lmtpd/config/config.h"
#include "lmtpd/daemon/privileges.h"
#include "lmtpd/daemon/store_watch.h"
#include "lmtpd/server/server.h"
#include "storage/admin.h"
#include "storage/uri.h"

namespace lmtpd::daemon {
namespace {

class Results {
 public:
  explicit Results(std::ostream& out) : out_(out) {}
  void ok(std::string_view text) { out_ << "ok       " << text << '\n'; }
  void remark(std::string_view text) { out_ << "remark   " << text << '\n'; }
  void problem(std::string_view text) {
    out_ << "problem  " << text << '\n';
    good_ = false;
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::ostream& out_;
  bool good_ = true;
};

void check_sockets(const config::Settings& settings, Results& results) {
  const std::vector<std::string> problems = server::check_listeners(settings.server);
  for (const std::string& problem : problems) results.problem(config::located(settings, problem));
  if (!problems.empty()) return;
  for (const std::string& address : settings.server.listen) results.ok("listen " + address);
  if (!settings.server.listen.empty()) return;
  results.remark("listen.lmtp is empty: lmtpd starts only with sockets that systemd hands over");
}

// Without making the file, which would belong to whoever runs --check.
void check_log(const config::Settings& settings, Results& results) {
  const observe::LogOptions& log = settings.log;
  if (log.sink != observe::LogSink::file) return;
  const bool there = ::access(log.file.c_str(), F_OK) == 0;
  const std::string folder = log.file.substr(0, log.file.rfind('/') + 1);
  const int found = there ? ::access(log.file.c_str(), W_OK) : ::access(folder.c_str(), W_OK | X_OK);
  if (found == 0) return results.ok("log " + log.file);
  const int error = errno;
  results.problem(config::located(settings, "log.file: " + (there ? log.file : "the folder " + folder) +
                  " cannot be written: " + std::generic_category().message(error)));
}

// Aliases none of whose targets can be a local user: mail for them waits at the sender (451 4.3.5) or is refused (commands).
void check_aliases(storage::Admin& admin, Results& results) {
  std::vector<storage::AliasRecord> aliases;
  if (!admin.list_aliases(aliases).ok()) return;
  const auto folded = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return text;
  };
  const auto numeric = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  std::set<std::string> names, local, seen;
  for (const auto& alias : aliases) names.insert(folded(alias.alias));
  for (const auto& alias : aliases) {
    if (numeric(alias.deliver_to) || names.contains(folded(alias.deliver_to))) local.insert(folded(alias.alias));
  }
  for (const auto& alias : aliases) {
    const std::string name = folded(alias.alias);
    if (local.contains(name) || !seen.insert(name).second) continue;
    const bool command = !alias.deliver_to.empty() && (alias.deliver_to.front() == '|' || alias.deliver_to.front() == '!');
    results.remark("alias " + alias.alias +
                   (command ? " runs a command: lmtpd never does; its mail is refused with 550 5.3.0"
                            : " has external targets only: lmtpd does not forward; its mail is answered 451 4.3.5"));
  }
}

// Where the store is: storage.uri without account and password.
std::string place_of(const std::string& text) {
  const storage::Uri uri = storage::parse_uri(text);
  const std::string port = uri.port == 0 ? "" : ":" + std::to_string(uri.port);
  const std::string socket = uri.parameter("host").value_or(uri.parameter("socket").value_or(""));
  return uri.scheme + "://" + uri.host + port + uri.path + (socket.empty() ? "" : " in " + socket);
}

void check_store(const config::Settings& settings, storage::Driver& driver, Results& results) {
  const StoreFindings findings = look_at(driver);
  if (!findings.reached) {
    results.problem("database: " + findings.why + " (mail would be answered 451 until it is there)");
    return;
  }
  results.ok("database " + place_of(settings.storage.uri) + ", " + findings.schema.server);
  for (const std::string& problem : findings.schema.problems) results.problem("schema: " + problem);
  for (const std::string& remark : findings.schema.remarks) results.remark("schema: " + remark);
  if (!findings.schema.problems.empty()) return;
  results.ok("schema");
  const std::uint64_t limit = std::min(settings.server.limits.message_size, findings.message_limit);
  results.ok("messages up to " + std::to_string(limit) + " octets");
  if (limit < settings.server.limits.message_size) {
    results.remark("the server's packet limit lowers limits.message_size to " + std::to_string(limit) + " octets");
  }
  std::unique_ptr<storage::Admin> admin;
  if (driver.open_admin(admin).ok()) check_aliases(*admin, results);
}

}  // namespace

bool check(const config::Settings& settings, storage::Driver& driver, std::ostream& out) {
  Results results(out);
  results.ok("configuration");
  if (is_root()) {
    results.remark("running as root: set server.user, or start lmtpd as an own user (conf/systemd/lmtpd.service does)");
  }
  check_sockets(settings, results);
  check_log(settings, results);
  check_store(settings, driver, results);
  return results.good();
}

}  // namespace lmtpd::daemon
