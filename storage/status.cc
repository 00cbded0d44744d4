#include "storage/status.h"

namespace storage {

bool is_transient(Reason reason) {
  switch (reason) {
    case Reason::over_quota:
    case Reason::external_only:
    case Reason::busy:
    case Reason::deadline:
    case Reason::unavailable:
    case Reason::conflict:
    case Reason::rejected_by_store:
    case Reason::storage_full:
    case Reason::in_doubt:
    case Reason::internal:
      return true;
    case Reason::ok:
    case Reason::already_stored:
    case Reason::no_such_mailbox:
    case Reason::mailbox_disabled:
    case Reason::pipe_target:
    case Reason::message_too_large:
    case Reason::too_many_hops:
    case Reason::bare_line_end:
    case Reason::nul_byte:
      return false;
  }
  return true;
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::ok: return "ok";
    case Reason::already_stored: return "already_stored";
    case Reason::no_such_mailbox: return "no_such_mailbox";
    case Reason::mailbox_disabled: return "mailbox_disabled";
    case Reason::over_quota: return "over_quota";
    case Reason::external_only: return "external_only";
    case Reason::pipe_target: return "pipe_target";
    case Reason::message_too_large: return "message_too_large";
    case Reason::too_many_hops: return "too_many_hops";
    case Reason::bare_line_end: return "bare_line_end";
    case Reason::nul_byte: return "nul_byte";
    case Reason::busy: return "busy";
    case Reason::deadline: return "deadline";
    case Reason::unavailable: return "unavailable";
    case Reason::conflict: return "conflict";
    case Reason::rejected_by_store: return "rejected_by_store";
    case Reason::storage_full: return "storage_full";
    case Reason::in_doubt: return "in_doubt";
    case Reason::internal: return "internal";
  }
  return "unknown";
}

}  // namespace storage
