#include "lmtpd/server/outcome_replies.h"

#include <string>

namespace lmtpd::server {
namespace {

using protocol::Reply;
using storage::Reason;

enum class Kind : std::uint8_t { failure, stored, refusal };

Reply with_id(std::string_view id, std::string_view word) {
  std::string text(id);
  if (!text.empty()) text += ' ';
  return Reply(250, "2.0.0", text.append(word));
}

// DECISIONS: over quota and external-only are facts about a recipient, whatever code they are answered with.
Kind kind_of(Reason reason) {
  if (storage::is_stored(reason)) return Kind::stored;
  if (reason == Reason::over_quota || reason == Reason::external_only) return Kind::refusal;
  return storage::is_transient(reason) ? Kind::failure : Kind::refusal;
}

}  // namespace

Reply reply_for(Reason reason, OverQuota over_quota, std::string_view id) {
  switch (reason) {
    case Reason::ok:
      return with_id(id, "Saved");
    case Reason::already_stored:
      return with_id(id, "Already saved");
    case Reason::no_such_mailbox:
      return Reply(550, "5.1.1", "No such mailbox here");
    case Reason::mailbox_disabled:
      return Reply(550, "5.2.1", "Mailbox disabled");
    case Reason::over_quota:
      return over_quota == OverQuota::permanent ? Reply(552, "5.2.2", "Mailbox full")
                                                : Reply(452, "4.2.2", "Mailbox full");
    case Reason::external_only:
      return Reply(451, "4.3.5", "Forwarding to external addresses is not done here");
    case Reason::pipe_target:
      return Reply(550, "5.3.0", "Delivery to commands is not done here");
    case Reason::message_too_large:
      return Reply(552, "5.3.4", "Message too large");
    case Reason::too_many_hops:
      return Reply(554, "5.4.6", "Too many hops");
    case Reason::bare_line_end:
      return Reply(550, "5.5.2", "Bare CR or LF in message");
    case Reason::nul_byte:
      return Reply(550, "5.6.0", "NUL in message");
    case Reason::busy:
      return Reply(452, "4.3.1", "Busy, try again later");
    case Reason::deadline:
      return Reply(451, "4.4.7", "Not stored in time, try again later");
    case Reason::storage_full:
      return Reply(452, "4.3.1", "Mail store full, try again later");
    case Reason::unavailable:
    case Reason::conflict:
    case Reason::rejected_by_store:
      return Reply(451, "4.3.0", "Mail store not available, try again later");
    case Reason::in_doubt:
      return Reply(451, "4.3.0", "Storing not confirmed, try again later");
    case Reason::internal:
      return Reply(451, "4.3.0", "Internal error, try again later");
  }
  return Reply(451, "4.3.0", "Internal error, try again later");
}

std::size_t speaking_outcome(std::span<const Reason> reasons, OverQuota over_quota) {
  std::size_t speaker = 0;
  for (std::size_t i = 1; i < reasons.size(); ++i) {
    const Kind best = kind_of(reasons[speaker]);
    const Kind kind = kind_of(reasons[i]);
    const bool worse_refusal =
        kind == Kind::refusal && best == Kind::refusal &&
        reply_for(reasons[i], over_quota).code() / 100 > reply_for(reasons[speaker], over_quota).code() / 100;
    if (kind < best || worse_refusal) speaker = i;
  }
  return speaker;
}

}  // namespace lmtpd::server
