#include "lmtpd/server/options.h"

#include <sys/un.h>

#include <algorithm>
#include <string_view>

#include "lmtpd/server/listen_address.h"
#include "lmtpd/server/unix_socket.h"

namespace lmtpd::server {
namespace {

class Findings {
 public:
  void require(bool fine, std::string sentence) {
    if (!fine) sentences_.push_back(std::move(sentence));
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  std::vector<std::string> sentences_;
};

bool is_host_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  };
  return !name.empty() && name.size() <= 255 && std::all_of(name.begin(), name.end(), fits);
}

constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

void check_listen_address(const std::string& text, Findings& findings) {
  constexpr std::string_view scheme = "unix:/";
  if (text.starts_with(scheme) && text.size() - (scheme.size() - 1) > longest_path) {
    findings.require(false, "listen.lmtp: the path in \"" + text + "\" is too long: a unix socket's has at most " +
                                std::to_string(longest_path) + " octets");
    return;
  }
  findings.require(parse_listen_address(text).has_value(),
                   "listen.lmtp: \"" + text + "\" is neither unix:/absolute/path nor inet:address:port");
}

void check_addresses(const Options& options, Findings& findings) {
  for (const std::string& text : options.listen) check_listen_address(text, findings);
  for (const std::string& text : options.proxy_networks) {
    findings.require(parse_network(text).has_value(), "listen.proxy_networks: \"" + text + "\" is no network, as 127.0.0.1 or 10.0.0.0/8");
  }
  for (const std::string& text : options.xforward_networks) {
    findings.require(parse_network(text).has_value(), "listen.xforward_networks: \"" + text + "\" is no network, as 127.0.0.1 or 10.0.0.0/8");
  }
}

void check_accounts(const Options& options, Findings& findings) {
  const auto known_user = [](const std::string& name) { return find_user(name).has_value(); };
  const auto known_group = [](const std::string& name) { return find_group(name).has_value(); };
  for (const std::string& name : options.peer_users) {
    findings.require(known_user(name), "listen.peer_users: there is no user " + name);
  }
  for (const std::string& name : options.peer_groups) {
    findings.require(known_group(name), "listen.peer_groups: there is no group " + name);
  }
  findings.require(options.socket_owner.empty() || known_user(options.socket_owner),
                   "listen.socket_owner: there is no user " + options.socket_owner);
  findings.require(options.socket_group.empty() || known_group(options.socket_group),
                   "listen.socket_group: there is no group " + options.socket_group);
  findings.require(options.socket_mode <= 0777, "listen.socket_mode: only permission bits may be set");
}

void check_limits(const Limits& limits, Findings& findings) {
  using std::chrono::milliseconds;
  findings.require(limits.sessions > 0, "limits.sessions: must be at least 1");
  findings.require(limits.recipients > 0, "limits.recipients: must be at least 1");
  findings.require(limits.message_size > 0, "limits.message_size: must be at least 1");
  findings.require(limits.bad_commands >= 0, "limits.bad_commands: must not be negative");
  findings.require(limits.idle > milliseconds(0), "timeouts.idle: must be positive");
  findings.require(limits.data_idle > milliseconds(0), "timeouts.data_idle: must be positive");
  findings.require(limits.data_total > milliseconds(0), "timeouts.data_total: must be positive");
  findings.require(limits.drain >= milliseconds(0), "timeouts.drain: must not be negative");
}

}  // namespace

std::vector<std::string> problems(const Options& options) {
  Findings findings;
  findings.require(is_host_name(options.hostname), "server.hostname: \"" + options.hostname + "\" is no host name");
  findings.require(options.backlog > 0, "listen.backlog: must be at least 1");
  findings.require(options.io_threads > 0 && options.io_threads <= 256, "server.io_threads: must be 1 to 256");
  check_addresses(options, findings);
  check_accounts(options, findings);
  check_limits(options.limits, findings);
  return findings.take();
}

}  // namespace lmtpd::server
