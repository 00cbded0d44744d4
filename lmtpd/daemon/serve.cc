#include "lmtpd/daemon/serve.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <limits>
#include <utility>

#include "lmtpd/config/config.h"
#include "lmtpd/daemon/privileges.h"
#include "lmtpd/daemon/store_watch.h"
#include "lmtpd/delivery/pipeline.h"
#include "lmtpd/observe/log_setup.h"
#include "lmtpd/observe/mail_log.h"
#include "lmtpd/observe/metrics.h"
#include "lmtpd/server/server.h"
#include "lmtpd/server/shutdown.h"

namespace lmtpd::daemon {
namespace {

std::string own_host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

server::Limits limits_for(const config::Settings& settings, std::uint64_t message_limit) {
  server::Limits limits = settings.server.limits;
  limits.message_size = std::min(limits.message_size, message_limit);
  return limits;
}

server::Options options_for(const config::Settings& settings, std::uint64_t message_limit) {
  server::Options options = settings.server;
  options.limits = limits_for(settings, message_limit);
  return options;
}

// True: fit for delivery, or not known yet.
bool log_findings(spdlog::logger& log, const StoreFindings& findings) {
  if (!findings.reached) {
    log.warn("the store cannot be reached yet, mail is answered 451: {}", findings.why);
    return true;
  }
  log.info("store {}", findings.schema.server);
  for (const std::string& problem : findings.schema.problems) log.error("schema: {}", problem);
  for (const std::string& remark : findings.schema.remarks) log.warn("schema: {}", remark);
  return findings.schema.problems.empty();
}

// Everything that runs, built in flow order and destroyed in reverse.
class Daemon {
 public:
  Daemon(const config::Settings& settings, std::string config_path, storage::Driver& driver, observe::Log& log,
         const StoreFindings& first)
      : settings_(settings),
        config_path_(std::move(config_path)),
        log_(log),
        message_limit_(first.reached ? first.message_limit : std::numeric_limits<std::uint64_t>::max()),
        mail_log_(log.logger(), settings.log.format, metrics_),
        pipeline_(driver, settings.delivery, settings.pool, metrics_, &mail_log_),
        server_(options_for(settings, message_limit_), pipeline_, metrics_, mail_log_),
        watch_(driver) {
    for (const std::string& remark : server_.remarks()) logger().warn("{}", remark);
    if (!first.reached) watch_.start([this](const StoreFindings& findings) { store_found(findings); });
  }

  int run() {
    signals_.start([this] { stop(); }, [this] { reload(); });
    for (const std::string& address : server_.addresses()) {
      logger().info("lmtpd " LMTPD_VERSION " listens at {}", address);
    }
    server_.run();
    if (!pipeline_.drain(std::chrono::steady_clock::now() + settings_.delivery.taken_deadline)) {
      logger().error("deliveries were still open at the end of the drain; their clients got no reply and will try again");
    }
    signals_.stop();
    logger().info("lmtpd ends");
    return exit_status_;
  }

 private:
  [[nodiscard]] spdlog::logger& logger() { return *log_.logger(); }

  // On the watch's thread.
  void store_found(const StoreFindings& findings) {
    if (!log_findings(logger(), findings)) {
      exit_status_ = exit_config;
      return server_.begin_drain();
    }
    message_limit_ = findings.message_limit;
    server_.reload(limits_for(settings_, findings.message_limit));
  }

  // On the control thread.
  void stop() {
    logger().info("lmtpd drains: open transactions go on, nothing new is accepted; a second signal ends it at once");
    server_.begin_drain();
  }

  // On the control thread.
  void reload() {
    if (!log_.reopen()) logger().error("the log file cannot be opened again; the old one stays in use");
    try {
      const config::Settings loaded = load_settings(config_path_);
      for (const std::string& key : config::needing_restart(settings_, loaded)) {
        logger().warn("{} has changed in {}: takes effect at the next restart", key, config_path_);
      }
      log_.set_level(loaded.log.level);
      server_.reload(limits_for(loaded, message_limit_));
      logger().info("configuration read again from {}", config_path_);
    } catch (const std::exception& e) {
      logger().error("the running configuration stays in use: {}", e.what());
    }
  }

  const config::Settings& settings_;
  const std::string config_path_;
  observe::Log& log_;
  std::atomic<std::uint64_t> message_limit_;  // what the database server can take
  std::atomic<int> exit_status_{0};
  observe::Metrics metrics_;
  observe::MailLog mail_log_;
  delivery::Pipeline pipeline_;
  server::Server server_;
  StoreWatch watch_;
  server::ControlSignals signals_;  // last: its thread calls everything above
};

}  // namespace

config::Settings load_settings(const std::string& path) {
  config::Settings settings = config::load(path);
  if (settings.server.hostname == "localhost") settings.server.hostname = own_host_name();
  return settings;
}

int serve(const config::Settings& settings, const std::string& config_path, storage::Driver& driver) {
  const server::ControlSignals blocked;  // before any thread is started, so that all inherit it
  observe::Log log(settings.log);
  if (is_root()) log.logger()->warn("running as root: set server.user or start lmtpd as an own user");
  const StoreFindings first = look_at(driver);
  if (!log_findings(*log.logger(), first)) {
    if (settings.log.sink != observe::LogSink::standard_error) {
      std::cerr << "lmtpd: the database lacks what lmtpd needs; the log and lmtpd --check name it\n";
    }
    return exit_config;
  }
  return Daemon(settings, config_path, driver, log, first).run();
}

}  // namespace lmtpd::daemon
