#include <CLI/CLI.hpp>

#include <iostream>

#include "bench/load/report.h"
#include "bench/load/runner.h"

namespace {

using namespace bench::load;

void add_options(CLI::App& app, LoadOptions& options, double& seconds, double& warm_up) {
  app.add_option("ADDRESS", options.address, "unix:/path or inet:host:port")->required();
  app.add_flag("--smtp", options.smtp, "Speak SMTP, to a mail server in front of lmtpd");
  app.add_option("--sessions", options.sessions, "Connections at once")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_option("--messages", options.messages, "Messages in all; 0 with --seconds: no limit")->capture_default_str();
  app.add_option("--seconds", seconds, "Run that long instead (sets --messages 0)");
  app.add_option("--warm-up", warm_up, "Seconds before the measurement begins, with --seconds");
  app.add_option("--rate", options.rate, "Open loop: messages per second; 0: closed loop")->capture_default_str();
  app.add_option("--recipients", options.recipients, "Addresses, used in turn")->required();
  app.add_option("--per-message", options.recipients_per_message, "Recipients of each message")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--sender", options.sender)->capture_default_str();
  app.add_option("--seed", options.seed, "The same seed sends the same mail: a second run is all redeliveries")->capture_default_str();
  app.add_option("--min-size", options.mix.min_octets, "Octets of the smallest message")->capture_default_str();
  app.add_option("--max-size", options.mix.max_octets, "Octets of the largest message")->capture_default_str();
  app.add_option("--html", options.mix.html_share, "Share of messages with HTML")->check(CLI::Range(0.0, 1.0))->capture_default_str();
  app.add_option("--attachments", options.mix.attachment_share, "Share of messages with an attachment")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--reuse", options.messages_per_session, "Messages per connection; 0: no limit")->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  LoadOptions options;
  double seconds = 0;
  double warm_up = 0;
  bool json = false;
  bool quiet = false;
  std::string verify_config;
  std::string lmtpctl = "lmtpctl";
  CLI::App app("lmtp-load: LMTP load as Postfix makes it, with every reply checked.\nExit status: 0 all stored, 1 something was not, 2 usage");
  add_options(app, options, seconds, warm_up);
  app.add_flag("--json", json, "Print JSON");
  app.add_flag("--quiet", quiet, "No progress on stderr");
  app.add_option("--verify", verify_config, "lmtpd's configuration: afterwards, check that all acknowledged mail is stored once");
  app.add_option("--lmtpctl", lmtpctl, "Path of lmtpctl for --verify")->capture_default_str();
  try {
    app.parse(argc, argv);
    if (options.mix.max_octets < options.mix.min_octets) options.mix.max_octets = options.mix.min_octets;
    if (seconds > 0) {
      options.messages = 0;
      options.duration = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
      options.warm_up = std::chrono::milliseconds(static_cast<std::int64_t>(warm_up * 1000));
    }
    options.keep_labels = !verify_config.empty();
    if (!quiet) options.progress = [](std::uint64_t done) { std::cerr << '\r' << done << " messages " << std::flush; };
    const LoadResult result = run(options);
    if (!quiet) std::cerr << "\r\033[K";
    json ? print_json(result, std::cout) : print_text(result, std::cout);
    std::uint64_t faults = result.faults.size();
    if (!verify_config.empty()) {
      faults += verify(result, lmtpctl, verify_config, std::cerr);
      std::cerr << (faults == 0 ? "verified: everything acknowledged is stored once\n" : "verification FAILED\n");
    }
    return faults == 0 && result.stored == result.sent && result.sent > 0 ? 0 : 1;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::cerr << "lmtp-load: " << e.what() << '\n';
    return 1;
  }
}
