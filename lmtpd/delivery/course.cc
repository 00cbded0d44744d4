#include "lmtpd/delivery/course.h"

#include <algorithm>

namespace lmtpd::delivery {
namespace {

using storage::Reason;

// A message can make a server drop the connection (packet limit, a crash): three losses in a row are not taken for
// chance.
constexpr int most_losses = 3;

Course split_or_give_up(const History& history) {
  return history.deliveries > 1 ? Course::split : Course::give_up;
}

Course after_conflict(const History& history, const Options& options) {
  const int retries = history.half ? std::min(1, options.conflict_retries) : options.conflict_retries;
  if (history.slow && history.deliveries > 1) return Course::split;  // waiting again for all would not free that lock
  if (history.conflicts <= retries) return Course::again;
  return split_or_give_up(history);
}

Course after_loss(const History& history) {
  if (history.losses < (history.half ? 2 : most_losses)) return Course::again;
  return split_or_give_up(history);
}

}  // namespace

Course course_after(Reason reason, const History& history, const Options& options) {
  switch (reason) {
    case Reason::conflict:
      return after_conflict(history, options);
    case Reason::in_doubt:
      return Course::settle;
    case Reason::unavailable:
    case Reason::busy:
      return after_loss(history);
    case Reason::storage_full:
      return Course::give_up;  // smaller transactions would not make room
    case Reason::rejected_by_store:
    case Reason::internal:
    case Reason::deadline:  // a statement's time limit: half of the work may fit
    case Reason::message_too_large:
    case Reason::no_such_mailbox:
    case Reason::mailbox_disabled:
    case Reason::over_quota:
    case Reason::external_only:
    case Reason::pipe_target:
    case Reason::too_many_hops:
    case Reason::bare_line_end:
    case Reason::nul_byte:
      return split_or_give_up(history);
    case Reason::ok:
    case Reason::already_stored:
      break;  // not a failure
  }
  return Course::give_up;
}

}  // namespace lmtpd::delivery
