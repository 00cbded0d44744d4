// lmtpd/daemon/main.cc: wiring only: configuration → log → driver → pipeline → server → run → drain. Objects are built in flow order and
// destroyed in reverse.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include <spdlog/spdlog.h>
#include <unistd.h>

#include "lmtpd/config/config.h"
#include "lmtpd/config/sample.h"
#include "lmtpd/daemon/check.h"
#include "lmtpd/daemon/privileges.h"
#include "lmtpd/daemon/store_watch.h"
#include "lmtpd/delivery/pipeline.h"
#include "lmtpd/mime/decomposer.h"
#include "lmtpd/observe/log_setup.h"
#include "lmtpd/observe/mail_log.h"
#include "lmtpd/observe/metrics.h"
#include "lmtpd/server/server.h"
#include "lmtpd/server/shutdown.h"
#include "storage/registry.h"

namespace {

using namespace lmtpd;

constexpr int exit_usage = 64;   // EX_USAGE of sysexits.h
constexpr int exit_config = 78;  // EX_CONFIG of sysexits.h: the configuration or the schema must be mended by a person

std::string own_host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

config::Settings load(const std::string& path) {
  config::Settings settings = config::load(path);
  if (settings.server.hostname == "localhost") settings.server.hostname = own_host_name();
  return settings;
}

// A mistake that showed when a value was used: with its place in the file when it names a key.
int complain(const config::Settings& settings, const std::string& what) {
  const std::string sentence = config::located(settings, what);
  std::cerr << (sentence == what ? "lmtpd: " : "") << sentence << '\n';
  return exit_config;
}

void log_findings(spdlog::logger& log, const daemon::StoreFindings& findings) {
  log.info("store {}", findings.schema.server);
  for (const std::string& problem : findings.schema.problems) log.error("schema: {}", problem);
  for (const std::string& remark : findings.schema.remarks) log.warn("schema: {}", remark);
}

server::Limits limits_for(const config::Settings& settings, std::uint64_t message_limit) {
  server::Limits limits = settings.server.limits;
  limits.message_size = std::min(limits.message_size, message_limit);
  return limits;
}

int serve(config::Settings settings, const std::string& config_path, storage::Driver& driver) {
  server::ControlSignals signals;
  observe::Log log(settings.log);
  spdlog::logger& logger = *log.logger();
  if (daemon::is_root()) logger.warn("running as root: set server.user or start lmtpd as an own user");

  std::atomic<std::uint64_t> message_limit{std::numeric_limits<std::uint64_t>::max()};
  std::atomic<int> exit_status{0};
  const daemon::StoreFindings first = daemon::look_at(driver);
  if (first.reached) {
    log_findings(logger, first);
    if (!first.schema.problems.empty()) {
      if (settings.log.sink != observe::LogSink::standard_error) {
        std::cerr << "lmtpd: the database lacks what lmtpd needs; the log and lmtpd --check name it\n";
      }
      return exit_config;
    }
    message_limit = first.message_limit;
    settings.server.limits = limits_for(settings, first.message_limit);
  } else {
    logger.warn("the store cannot be reached yet, mail is answered 451: {}", first.why);
  }

  observe::Metrics metrics;
  observe::MailLog mail_log(log.logger(), settings.log.format, metrics);
  delivery::Pipeline pipeline(driver, settings.delivery, settings.pool, metrics, &mail_log);
  server::Server server(settings.server, pipeline, metrics, mail_log);
  for (const std::string& remark : server.remarks()) logger.warn("{}", remark);

  daemon::StoreWatch watch(driver);
  if (!first.reached) {
    watch.start([&](const daemon::StoreFindings& findings) {
      log_findings(logger, findings);
      if (!findings.schema.problems.empty()) {
        exit_status = exit_config;
        return server.begin_drain();
      }
      message_limit = findings.message_limit;
      server.reload(limits_for(settings, findings.message_limit));
    });
  }
  signals.start([&] { server.begin_drain(); },
                [&] {
                  if (!log.reopen()) logger.error("the log file cannot be opened again; the old one stays in use");
                  try {
                    const config::Settings loaded = load(config_path);
                    for (const std::string& key : config::needing_restart(settings, loaded)) {
                      logger.warn("{} has changed in {}: takes effect at the next restart", key, config_path);
                    }
                    log.set_level(loaded.log.level);
                    server.reload(limits_for(loaded, message_limit));
                    logger.info("configuration read again from {}", config_path);
                  } catch (const std::exception& e) {
                    logger.error("the running configuration stays in use: {}", e.what());
                  }
                });
  for (const std::string& address : server.addresses()) logger.info("lmtpd " LMTPD_VERSION " listens at {}", address);
  server.run();
  if (!pipeline.drain(std::chrono::steady_clock::now() + settings.delivery.taken_deadline)) {
    logger.error("deliveries were still open at the end of the drain; their clients got no reply and will try again");
  }
  signals.stop();
  logger.info("lmtpd ends");
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  std::string config_path = "/etc/lmtpd/lmtpd.toml";
  bool check_only = false;
  bool print_config = false;
  CLI::App app("lmtpd: delivers mail over LMTP into a DBMail-compatible SQL mail store");
  app.set_version_flag("--version", "lmtpd " LMTPD_VERSION);
  app.add_option("-c,--config", config_path, "Configuration file")->capture_default_str();
  app.add_flag("--check", check_only, "Check configuration, sockets, database and schema, print each result, and end");
  app.add_flag("--print-config", print_config, "Print a configuration file with every option and its default, and end");
  app.footer(
      "Exit status: 0 done, 1 --check has found a problem, 64 wrong usage, 78 configuration or schema must be mended.\n"
      "SIGTERM ends lmtpd behind the mail it has accepted. SIGHUP reads the configuration again and reopens the log file.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : exit_usage;
  }
  config::Settings settings;
  try {
    if (print_config) {
      std::cout << config::sample_file();
      return 0;
    }
    settings = load(config_path);
    daemon::become(settings.run_as_user, settings.run_as_group);
    const std::unique_ptr<storage::Driver> driver = storage::make_driver(settings.storage);
    if (check_only) return daemon::check(settings, *driver, std::cout) ? 0 : 1;
    return serve(settings, config_path, *driver);
  } catch (const config::ConfigError& e) {
    std::cerr << e.what() << '\n';
    return exit_config;
  } catch (const std::exception& e) {
    return complain(settings, e.what());
  }
}
