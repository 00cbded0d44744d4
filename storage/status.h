// storage/status.h: how every operation of the store ends. A closed list of reasons; whether a reason is temporary is derived from
// it, so a "permanent timeout" cannot be expressed. Storage knows nothing of SMTP: lmtpd/server/outcome_replies.cc gives each
// reason its reply. Plain values, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace storage {

enum class Reason : std::uint8_t {
  ok,                 // the operation succeeded; for a target: its row is committed
  already_stored,     // the very same content is in that mailbox already; nothing was written, the reply is positive
  no_such_mailbox,    // refusals: facts about this recipient or this message
  mailbox_disabled,
  over_quota,
  external_only,      // an alias with external targets only (forwarding is not done here)
  pipe_target,        // an alias whose targets are commands; never executed
  message_too_large,
  too_many_hops,
  bare_line_end,
  nul_byte,
  busy,               // failures: facts about the world, always temporary
  deadline,
  unavailable,
  conflict,           // deadlock, serialisation failure, lock timeout: the whole batch may be tried again
  rejected_by_store,  // the database refused a statement (constraint, data): retrying the same batch does not help
  storage_full,
  in_doubt,           // the connection was lost while COMMIT was in flight
  internal,           // a bug of ours
};
inline constexpr int reason_count = static_cast<int>(Reason::internal) + 1;

// A failure of the world or of ours: the sender shall try again. Refusals are permanent, over_quota and external_only excepted.
[[nodiscard]] bool is_transient(Reason reason);
// stored now or earlier.
[[nodiscard]] constexpr bool is_stored(Reason reason) { return reason == Reason::ok || reason == Reason::already_stored; }
// Stable snake_case word for logs, metrics and tests.
[[nodiscard]] std::string_view to_string(Reason reason);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Reason reason, std::string detail) : reason_(reason), detail_(std::move(detail)) {}
  explicit Status(Reason reason) : reason_(reason) {}

  [[nodiscard]] bool ok() const { return is_stored(reason_); }
  [[nodiscard]] Reason reason() const { return reason_; }
  // For the log only, never sent to a client: it may hold SQL or addresses.
  [[nodiscard]] const std::string& detail() const { return detail_; }

  friend bool operator==(const Status&, const Status&) = default;

 private:
  Reason reason_ = Reason::ok;
  std::string detail_;
};

}  // namespace storage
