#include <CLI/CLI.hpp>

#include <iostream>

#include "bench/ceiling/driver_level.h"
#include "bench/ceiling/raw_level.h"

namespace {

using namespace bench::ceiling;

void add_options(CLI::App& app, Work& work) {
  app.add_option("URI", work.storage.uri, "The store, as storage.uri of lmtpd")->required();
  app.add_option("--recipients", work.recipients, "Addresses of the store, used in turn")->required();
  app.add_option("--per-message", work.recipients_per_message, "Recipients of each message")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--messages", work.messages, "Messages in all")->check(CLI::Range(1, 10000000))->capture_default_str();
  app.add_option("--batch", work.batch, "Messages per transaction")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_option("--connections", work.connections, "Connections at once, a thread each")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--warm-up", work.warm_up, "Messages of each connection before the clock starts")
      ->capture_default_str();
  app.add_option("--seed", work.seed, "Another one makes other messages")->capture_default_str();
  app.add_option("--min-size", work.mix.min_octets, "Octets of the smallest message")->capture_default_str();
  app.add_option("--max-size", work.mix.max_octets, "Octets of the largest message")->capture_default_str();
  app.add_option("--synchronous", work.storage.sqlite_synchronous, "SQLite: FULL or EXTRA")->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  Work work;
  std::string level = "driver";
  CLI::App app(
      "bench-ceiling: what a store takes without LMTP. Level driver: lmtpd's own driver on ready batches; level raw: "
      "the same rows by\n"
      "bare INSERT statements through the client library. Prints JSON.\nExit status: 0 measured, 1 a fault, 2 usage");
  add_options(app, work);
  app.add_option("--level", level)->check(CLI::IsMember({"driver", "raw"}))->capture_default_str();
  try {
    app.parse(argc, argv);
    work.mix.max_octets = std::max(work.mix.max_octets, work.mix.min_octets);
    print_json(level == "raw" ? run_raw_level(work) : run_driver_level(work), work, std::cout);
    return 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::cerr << "bench-ceiling: " << e.what() << '\n';
    return 1;
  }
}
