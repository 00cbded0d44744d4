#include "storage/sqlite/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <new>

#include "storage/fault_hook.h"

namespace storage::sqlite {
namespace {

struct Case {
  const char* name;
  int code;
  Reason reason;
  bool poisoned;
};
class Codes : public testing::TestWithParam<Case> {};

TEST_P(Codes, HaveTheirReason) {
  const auto fault = std::make_exception_ptr(Error(GetParam().code, "message"));
  const Translation translation = translate(fault, false);
  EXPECT_EQ(translation.status.reason(), GetParam().reason);
  EXPECT_EQ(translation.poisoned, GetParam().poisoned);
  EXPECT_TRUE(is_transient(translation.status.reason()));
  EXPECT_EQ(translate(fault, true).status.reason(), Reason::in_doubt);
}

INSTANTIATE_TEST_SUITE_P(Errors, Codes,
                         testing::Values(Case{"busy", SQLITE_BUSY, Reason::conflict, false},
                                         Case{"busy_snapshot", SQLITE_BUSY_SNAPSHOT, Reason::conflict, false},
                                         Case{"parent_row", SQLITE_CONSTRAINT_TRIGGER, Reason::conflict, false},
                                         Case{"unique", SQLITE_CONSTRAINT_UNIQUE, Reason::rejected_by_store, false},
                                         Case{"not_null", SQLITE_CONSTRAINT_NOTNULL, Reason::rejected_by_store, false},
                                         Case{"too_big", SQLITE_TOOBIG, Reason::rejected_by_store, false},
                                         Case{"full", SQLITE_FULL, Reason::storage_full, false},
                                         Case{"timeout", SQLITE_INTERRUPT, Reason::unavailable, false},
                                         Case{"fsync", SQLITE_IOERR_FSYNC, Reason::unavailable, true},
                                         Case{"read_only", SQLITE_READONLY_DBMOVED, Reason::unavailable, true},
                                         Case{"no_table", SQLITE_ERROR, Reason::internal, true},
                                         Case{"corrupt", SQLITE_CORRUPT_INDEX, Reason::internal, true},
                                         Case{"no_database", SQLITE_NOTADB, Reason::internal, true}),
                         [](const auto& tested) { return tested.param.name; });

TEST(SqliteErrors, RemediesAreNamed) {
  const auto detail = [](int code) {
    return translate(std::make_exception_ptr(Error(code, "m")), false).status.detail();
  };
  EXPECT_THAT(detail(SQLITE_ERROR), testing::HasSubstr("lmtpctl schema check"));
  EXPECT_THAT(detail(SQLITE_READONLY), testing::HasSubstr("writable"));
}

TEST(SqliteErrors, OtherExceptions) {
  const auto reason = [](auto exception, bool in_doubt) {
    return translate(std::make_exception_ptr(std::move(exception)), in_doubt).status.reason();
  };
  EXPECT_EQ(reason(InjectedFault("x", false), true), Reason::conflict);
  EXPECT_EQ(reason(InjectedFault("x", true), false), Reason::unavailable);
  EXPECT_EQ(reason(InjectedFault("x", true), true), Reason::in_doubt);
  EXPECT_EQ(reason(std::bad_alloc(), false), Reason::unavailable);
  EXPECT_EQ(reason(std::logic_error("x"), false), Reason::internal);
  EXPECT_EQ(reason(std::logic_error("x"), true), Reason::in_doubt);
  EXPECT_EQ(reason(7, false), Reason::internal);
  EXPECT_EQ(reason(Refused(Reason::no_such_mailbox, "x"), false), Reason::no_such_mailbox);
}

}  // namespace
}  // namespace storage::sqlite
