// lmtpd/server/service.h: what all sessions share: the doors to the next rooms and the facts that do not change while
// the server runs. Built by Server; immutable but for the session counter; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lmtpd/mime/options.h"
#include "lmtpd/server/listen_address.h"
#include "lmtpd/server/options.h"
#include "lmtpd/server/peer.h"

namespace lmtpd::delivery {
class Pipeline;
}
namespace lmtpd::observe {
class MailLog;
struct Metrics;
}  // namespace lmtpd::observe

namespace lmtpd::server {

class Service {
 public:
  // Throws std::runtime_error with the first of problems(options).
  Service(const Options& options, delivery::Pipeline& pipeline, observe::Metrics& metrics, observe::MailLog& mail_log);

  // Unique for this process, and unlikely to come again after a restart.
  [[nodiscard]] std::string next_session_name();

  delivery::Pipeline& pipeline;
  observe::Metrics& metrics;
  observe::MailLog& mail_log;
  const std::string hostname;
  const mime::Options message;
  std::vector<Network> proxy_networks;
  std::vector<Network> xforward_networks;
  PeerPolicy peers;

 private:
  std::string prefix_;
  std::atomic<std::uint64_t> counter_{0};
};

}  // namespace lmtpd::server
