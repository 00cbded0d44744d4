// lmtpd/server/outcome_replies.h: THE table: storage::Reason → code, enhanced code and public text. Reply texts are
// short and stable and never hold what a database or a file system said. Our own fault is never 5xx. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "lmtpd/protocol/reply.h"
#include "storage/status.h"

namespace lmtpd::server {

enum class OverQuota : std::uint8_t { temporary, permanent };  // 452 4.2.2 or 552 5.2.2

// id: what log and store know the message by; only the positive replies show it.
[[nodiscard]] protocol::Reply reply_for(storage::Reason reason, OverQuota over_quota, std::string_view id = {});

// One RCPT may stand for several targets and gets one reply. Returns the index of the outcome that speaks for all: any
// failure (the sender shall try again), else any stored one, else the worst refusal (permanent before temporary).
// REQUIRES reasons is not empty.
[[nodiscard]] std::size_t speaking_outcome(std::span<const storage::Reason> reasons, OverQuota over_quota);

}  // namespace lmtpd::server
