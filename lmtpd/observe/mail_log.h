// lmtpd/observe/mail_log.h: what the postmaster reads: one line per recipient outcome, a few lines per session where
// something is worth knowing, nothing per step. All formats are here. A value from outside can never forge a line or a
// field: control characters, quotes, invalid UTF-8 and text-direction marks are escaped, long values are cut. Any
// thread (spdlog's logger is).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lmtpd/observe/metrics.h"
#include "storage/status.h"

namespace spdlog {
class logger;
}

namespace lmtpd::observe {

enum class LogFormat : std::uint8_t { text, json };

// spdlog name of the logger that carries finished mail log lines.
inline constexpr std::string_view mail_logger_name = "mail";

enum class Verb : std::uint8_t { delivered, already_stored, refused, deferred, in_doubt };

// delivered: ok; in_doubt: COMMIT may have happened; deferred: temporary; refused: permanent.
[[nodiscard]] Verb verb_for(storage::Reason reason);
[[nodiscard]] std::string_view to_string(Verb verb);

// One recipient's outcome. Views live until the call returns. Empty texts and zero numbers that mean "not known" are
// left out, the sender excepted (empty is <>).
struct OutcomeLine {
  std::string_view queue_id;  // XFORWARD IDENT: the sending MTA's name for the message
  std::string_view session;
  std::string_view delivery;  // our name for the message, the <id> of "250 2.0.0 <id> Saved"
  std::string_view sender;
  std::string_view recipient;  // as given in RCPT
  std::string_view mailbox;    // its name
  std::int64_t mailbox_id = 0;
  std::int64_t user = 0;
  std::int64_t uid = 0;    // message_idnr
  std::uint64_t size = 0;  // octets received
  std::string_view message_id;
  storage::Reason reason = storage::Reason::internal;
  std::string_view reply;   // code and enhanced code as sent: "250 2.0.0"
  std::string_view detail;  // Status::detail(): for the log only
  std::chrono::microseconds wait{0};
  std::chrono::microseconds commit{0};
  std::size_t batch_size = 0;  // 0: never reached a batch (refused at RCPT, or before the queue)
};

// What happens to a session or a message besides outcomes.
enum class Event : std::uint8_t {
  session_refused,  // limit, peer not allowed, PROXY header
  session_closed,   // by us: too many bad commands, timeout
  client_gone,      // inside a transaction; after the end of data the delivery is finished and the reply dropped
  nul_replaced,     // NUL octets stored as 0x80
  targets_skipped,  // external or command targets of an alias left out
  message_refused,  // before there was an outcome per recipient: MAIL refused for size, load …
  session_failed,   // an exception in a session: a bug of ours
  store_lost,         // the store cannot be reached; mail is answered 451 until store_back
  store_back,
};
[[nodiscard]] std::string_view to_string(Event event);

struct EventLine {
  Event event = Event::session_closed;
  std::string_view queue_id;
  std::string_view session;
  std::string_view peer;  // address or socket path, with uid for unix sockets
  std::string_view sender;
  std::string_view recipient;
  std::string_view reply;
  std::string_view detail;
};

// Pure: the line without time stamp and level, which the sink adds (for JSON: one object).
[[nodiscard]] std::string format_line(const OutcomeLine& line, LogFormat format);
[[nodiscard]] std::string format_line(const EventLine& line, LogFormat format);

class MailLog {
 public:
  // REQUIRES metrics outlives the log.
  MailLog(std::shared_ptr<spdlog::logger> logger, LogFormat format, Metrics& metrics);

  // Also counts Metrics::outcomes. Level info; in_doubt and deferred: warn.
  void outcome(const OutcomeLine& line);
  // Level info; session_refused, client_gone: warn; session_failed: error.
  void event(const EventLine& line);

 private:
  const std::shared_ptr<spdlog::logger> logger_;
  const LogFormat format_;
  Metrics& metrics_;
};

}  // namespace lmtpd::observe
