// lmtpd/daemon/main.cc: the command line, and how the process ends.

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <system_error>

#include "lmtpd/config/config.h"
#include "lmtpd/config/sample.h"
#include "lmtpd/daemon/check.h"
#include "lmtpd/daemon/privileges.h"
#include "lmtpd/daemon/serve.h"
#include "lmtpd/server/address_unavailable.h"
#include "storage/registry.h"

using namespace lmtpd;

namespace {

// A mistake that showed when a value was used: with its place in the file when it names a key.
int complain(const config::Settings& settings, const std::string& what, int exit_status) {
  const std::string sentence = config::located(settings, what);
  std::cerr << (sentence == what ? "lmtpd: " : "") << sentence << '\n';
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
      "Exit status: 0 done, 1 --check has found a problem, 64 wrong usage, 75 try again later,\n"
      "78 configuration or schema must be mended.\n"
      "SIGTERM ends lmtpd behind the mail it has accepted. SIGHUP reads the configuration again and reopens the log file.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : daemon::exit_usage;
  }
  config::Settings settings;
  try {
    if (print_config) {
      std::cout << config::sample_file();
      return 0;
    }
    settings = daemon::load_settings(config_path);
    daemon::become(settings.run_as_user, settings.run_as_group);
    const std::unique_ptr<storage::Driver> driver = storage::make_driver(settings.storage);
    if (check_only) return daemon::check(settings, *driver, std::cout) ? 0 : 1;
    return daemon::serve(settings, config_path, *driver);
  } catch (const config::ConfigError& e) {
    std::cerr << e.what() << '\n';
    return daemon::exit_config;
  } catch (const std::system_error& e) {
    return complain(settings, e.what(), daemon::exit_again);
  } catch (const server::AddressUnavailable& e) {
    return complain(settings, e.what(), daemon::exit_again);
  } catch (const std::bad_alloc& e) {
    return complain(settings, e.what(), daemon::exit_again);
  } catch (const std::exception& e) {
    return complain(settings, e.what(), daemon::exit_config);
  }
}
