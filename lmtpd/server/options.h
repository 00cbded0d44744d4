// lmtpd/server/options.h: where lmtpd listens, who may talk to it, and the limits of a session. Filled from the
// configuration; Server checks it when it is constructed (problems() names every mistake at once).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lmtpd/mime/options.h"

namespace lmtpd::server {

enum class BareLineEnds : std::uint8_t { accept, reject };
enum class NulBytes : std::uint8_t { replace, reject, keep };

// What reload() may change while sessions run. A session keeps the message_size that it announced, recipients and
// bad_commands; it sees the rest with its next message or wait.
struct Limits {
  std::size_t sessions = 1000;              // more: 421 4.3.2 and close
  std::uint64_t message_size = 50u << 20;   // announced as SIZE, octets after dot-unstuffing
  std::size_t recipients = 1000;            // accepted RCPTs in a transaction; more: 452 4.5.3
  int bad_commands = 20;                    // in one connection; then 421 4.7.0 and close
  std::uint32_t received_headers = 100;     // more Received fields: 554 5.4.6
  std::chrono::milliseconds idle{300'000};  // silence between commands: 421 4.4.2 and close
  std::chrono::milliseconds data_idle{
      600'000};  // silence inside DATA or a BDAT chunk, and a client that does not read replies
  std::chrono::milliseconds data_total{1'800'000};  // DATA or the first BDAT to the end of the message: 421 4.4.2
  std::chrono::milliseconds drain{30'000};  // a transaction that is open when the drain begins may go on that long

  BareLineEnds bare_line_ends = BareLineEnds::accept;  // reject: 550 5.5.2
  NulBytes nul_bytes = NulBytes::replace;              // replace: stored as 0x80; reject: 550 5.6.0
  bool over_quota_permanent = false;                   // on: 552 5.2.2 instead of 452 4.2.2
  bool recognise_redelivery = true;                    // off: every delivery gets a random salt
};

struct Options {
  std::string hostname = "localhost";  // in the greeting and in LHLO's first line

  // "unix:/absolute/path", "inet:127.0.0.1:24", "inet:[::1]:24". Sockets that systemd hands over (LISTEN_FDS) come in
  // addition.
  std::vector<std::string> listen;
  int backlog = 4096;  // the kernel lowers it to net.core.somaxconn

  // Unix sockets: permission bits, and the owner and group by name or number; empty: those of the process.
  std::uint32_t socket_mode = 0660;
  std::string socket_owner;
  std::string socket_group;
  // When one of them is not empty, peers of unix sockets must run as one of these users or groups; others: 421 4.7.0
  // and close.
  std::vector<std::string> peer_users;
  std::vector<std::string> peer_groups;

  // "10.0.0.0/8", "::1", … TCP peers that must send a PROXY v1 or v2 header, and those that may use XFORWARD.
  std::vector<std::string> proxy_networks;
  std::vector<std::string> xforward_networks;  // the real client's address; unix sockets may always

  int io_threads = 2;  // each with an io_context of its own

  Limits limits;
  mime::Options message;  // how messages are cut; its nul policy follows Limits::nul_bytes
};

// One sentence for every mistake in options, with the name of the option in front; empty: everything is fine. Opens
// nothing.
[[nodiscard]] std::vector<std::string> problems(const Options& options);

}  // namespace lmtpd::server
