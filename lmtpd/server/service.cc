#include "lmtpd/server/service.h"

#include <cstdio>
#include <random>
#include <stdexcept>

#include "lmtpd/server/unix_socket.h"

namespace lmtpd::server {
namespace {

std::vector<Network> parse_networks(const std::vector<std::string>& texts) {
  std::vector<Network> networks;
  for (const std::string& text : texts) networks.push_back(parse_network(text).value());
  return networks;
}

PeerPolicy peer_policy(const Options& options) {
  PeerPolicy policy;
  for (const std::string& name : options.peer_users) policy.users.push_back(find_user(name).value());
  for (const std::string& name : options.peer_groups) policy.groups.push_back(find_group(name).value());
  return policy;
}

const Options& checked(const Options& options) {
  const std::vector<std::string> found = problems(options);
  if (!found.empty()) throw std::runtime_error(found.front());
  return options;
}

}  // namespace

Service::Service(const Options& options, delivery::Pipeline& pipeline, observe::Metrics& metrics,
                 observe::MailLog& mail_log)
    : pipeline(pipeline),
      metrics(metrics),
      mail_log(mail_log),
      hostname(checked(options).hostname),
      message(options.message),
      proxy_networks(parse_networks(options.proxy_networks)),
      xforward_networks(parse_networks(options.xforward_networks)),
      peers(peer_policy(options)) {
  char text[16];
  std::snprintf(text, sizeof text, "%06x", static_cast<unsigned>(std::random_device{}()) & 0xffffffu);
  prefix_ = text;
}

std::string Service::next_session_name() {
  return prefix_ + "-" + std::to_string(counter_.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace lmtpd::server
