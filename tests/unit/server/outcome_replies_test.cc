#include "lmtpd/server/outcome_replies.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lmtpd::server {
namespace {

using protocol::Reply;
using storage::Reason;

struct Case {
  const char* name;
  Reason reason;
  const char* code;  // "451 4.3.0"
};

// decisions of the reply table, one by one; the compiler keeps reply_for() complete, this list is compared with
// reason_count.
const Case cases[] = {
    {"ok", Reason::ok, "250 2.0.0"},
    {"already_stored", Reason::already_stored, "250 2.0.0"},
    {"no_such_mailbox", Reason::no_such_mailbox, "550 5.1.1"},
    {"mailbox_disabled", Reason::mailbox_disabled, "550 5.2.1"},
    {"over_quota", Reason::over_quota, "452 4.2.2"},
    {"external_only", Reason::external_only, "451 4.3.5"},
    {"pipe_target", Reason::pipe_target, "550 5.3.0"},
    {"message_too_large", Reason::message_too_large, "552 5.3.4"},
    {"too_many_hops", Reason::too_many_hops, "554 5.4.6"},
    {"bare_line_end", Reason::bare_line_end, "550 5.5.2"},
    {"nul_byte", Reason::nul_byte, "550 5.6.0"},
    {"busy", Reason::busy, "452 4.3.1"},
    {"deadline", Reason::deadline, "451 4.4.7"},
    {"unavailable", Reason::unavailable, "451 4.3.0"},
    {"conflict", Reason::conflict, "451 4.3.0"},
    {"rejected_by_store", Reason::rejected_by_store, "451 4.3.0"},
    {"storage_full", Reason::storage_full, "452 4.3.1"},
    {"in_doubt", Reason::in_doubt, "451 4.3.0"},
    {"internal", Reason::internal, "451 4.3.0"},
};

std::string code_of(const Reply& reply) {
  return std::to_string(reply.code()) + " " + reply.enhanced();
}

class ReplyTable : public testing::TestWithParam<Case> {};

TEST_P(ReplyTable, GivesCodeAndEnhancedCode) {
  const Case& given = GetParam();
  EXPECT_EQ(code_of(reply_for(given.reason, OverQuota::temporary)), given.code);
}

// A sender that may succeed later is never told to give up, and the classes of code and enhanced code agree (RFC 3463
// §2).
TEST_P(ReplyTable, ClassFollowsTheReason) {
  const Case& given = GetParam();
  const Reply reply = reply_for(given.reason, OverQuota::temporary);
  const int wanted = storage::is_stored(given.reason) ? 2 : storage::is_transient(given.reason) ? 4 : 5;
  EXPECT_EQ(reply.code() / 100, wanted);
  EXPECT_EQ(reply.enhanced().front(), static_cast<char>('0' + wanted));
}

TEST_P(ReplyTable, TextIsOneShortLine) {
  const Reply reply = reply_for(GetParam().reason, OverQuota::temporary);
  ASSERT_EQ(reply.lines().size(), 1u);
  EXPECT_FALSE(reply.lines().front().empty());
  EXPECT_LT(reply.lines().front().size(), 80u);
}

INSTANTIATE_TEST_SUITE_P(EveryReason, ReplyTable, testing::ValuesIn(cases),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(ReplyTable, HasEveryReason) {
  ASSERT_EQ(std::size(cases), static_cast<std::size_t>(storage::reason_count));
  for (int i = 0; i < storage::reason_count; ++i) EXPECT_EQ(static_cast<int>(cases[i].reason), i);
}

TEST(ReplyTable, OverQuotaMayBePermanent) {
  EXPECT_EQ(code_of(reply_for(Reason::over_quota, OverQuota::permanent)), "552 5.2.2");
  for (const Case& given : cases) {
    if (given.reason == Reason::over_quota) continue;
    EXPECT_EQ(reply_for(given.reason, OverQuota::permanent), reply_for(given.reason, OverQuota::temporary))
        << given.name;
  }
}

TEST(ReplyTable, OnlyPositiveRepliesShowTheId) {
  EXPECT_EQ(reply_for(Reason::ok, OverQuota::temporary, "0123abc").wire(), "250 2.0.0 0123abc Saved\r\n");
  EXPECT_EQ(reply_for(Reason::already_stored, OverQuota::temporary, "0123abc").wire(),
            "250 2.0.0 0123abc Already saved\r\n");
  for (const Case& given : cases) {
    if (storage::is_stored(given.reason)) continue;
    EXPECT_EQ(reply_for(given.reason, OverQuota::temporary, "0123abc"), reply_for(given.reason, OverQuota::temporary));
  }
}

struct SpeakerCase {
  const char* name;
  std::vector<Reason> reasons;
  std::size_t speaker;
};

const SpeakerCase speaker_cases[] = {
    {"single", {Reason::ok}, 0},
    {"failure_beats_stored", {Reason::ok, Reason::unavailable, Reason::ok}, 1},
    {"failure_beats_refusal", {Reason::no_such_mailbox, Reason::deadline}, 1},
    {"stored_beats_refusal", {Reason::no_such_mailbox, Reason::ok}, 1},
    {"stored_beats_full", {Reason::over_quota, Reason::already_stored}, 1},
    {"permanent_beats_temporary_refusal", {Reason::over_quota, Reason::no_such_mailbox}, 1},
    {"first_of_equals", {Reason::no_such_mailbox, Reason::mailbox_disabled}, 0},
    {"first_failure", {Reason::ok, Reason::busy, Reason::in_doubt}, 1},
};

class Speaker : public testing::TestWithParam<SpeakerCase> {};

TEST_P(Speaker, IsTheOneThatDecides) {
  EXPECT_EQ(speaking_outcome(GetParam().reasons, OverQuota::temporary), GetParam().speaker);
}

INSTANTIATE_TEST_SUITE_P(Cases, Speaker, testing::ValuesIn(speaker_cases),
                         [](const auto& given) { return std::string(given.param.name); });

// Whatever the other target says, one failure keeps the sender trying, and nothing but failures can undo a stored copy.
TEST(Speaker, FailureAlwaysWinsThenStored) {
  for (const Case& a : cases) {
    for (const Case& b : cases) {
      const Reason pair[] = {a.reason, b.reason};
      const Reason spoken = pair[speaking_outcome(pair, OverQuota::temporary)];
      const auto failure = [](Reason r) {
        return storage::is_transient(r) && r != Reason::over_quota && r != Reason::external_only;
      };
      if (failure(a.reason) || failure(b.reason)) {
        EXPECT_TRUE(failure(spoken)) << a.name << ' ' << b.name;
      } else if (storage::is_stored(a.reason) || storage::is_stored(b.reason)) {
        EXPECT_TRUE(storage::is_stored(spoken)) << a.name << ' ' << b.name;
      }
    }
  }
}

}  // namespace
}  // namespace lmtpd::server
