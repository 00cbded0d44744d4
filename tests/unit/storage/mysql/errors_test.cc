#include "storage/mysql/errors.h"

#include <cppconn/exception.h>
#include <gtest/gtest.h>

#include <new>

#include "storage/fault_hook.h"

namespace storage::mysql {
namespace {

struct Case {
  const char* name;
  int code;
  const char* message;
  Reason reason;
  bool poisoned;
  Reason during_commit;
};

class ErrorsTest : public testing::TestWithParam<Case> {};

TEST_P(ErrorsTest, HaveAMeaning) {
  const Case& c = GetParam();
  const Failure failure = classify(c.code, c.message);
  EXPECT_EQ(failure.reason, c.reason);
  EXPECT_EQ(failure.poisoned, c.poisoned);
  EXPECT_NE(failure.detail.find(std::to_string(c.code)), std::string::npos);
  EXPECT_EQ(at_commit(failure).reason, c.during_commit);
}

INSTANTIATE_TEST_SUITE_P(
    All, ErrorsTest,
    testing::Values(
        Case{"deadlock", 1213, "Deadlock found", Reason::conflict, false, Reason::conflict},
        Case{"lock_wait_timeout", 1205, "Lock wait timeout exceeded", Reason::conflict, false, Reason::conflict},
        Case{"nowait", 3572, "Statement aborted", Reason::conflict, false, Reason::conflict},
        Case{"foreign_key_of_a_reused_row", 1452, "Cannot add or update", Reason::conflict, false, Reason::conflict},
        Case{"server_gone", 2006, "gone away", Reason::unavailable, true, Reason::in_doubt},
        Case{"connection_lost", 2013, "Lost connection", Reason::unavailable, true, Reason::in_doubt},
        Case{"refused", 2002, "Can't connect", Reason::unavailable, true, Reason::in_doubt},
        Case{"killed", 1927, "Connection was killed", Reason::unavailable, true, Reason::in_doubt},
        Case{"shutdown", 1053, "Server shutdown in progress", Reason::unavailable, true, Reason::in_doubt},
        Case{"galera_not_ready", 1047, "WSREP has not yet prepared", Reason::unavailable, true, Reason::in_doubt},
        Case{"read_only", 1290, "--read-only", Reason::unavailable, true, Reason::in_doubt},
        Case{"statement_time", 1969, "max_statement_time exceeded", Reason::unavailable, false, Reason::in_doubt},
        Case{"execution_time", 3024, "maximum statement execution time", Reason::unavailable, false, Reason::in_doubt},
        Case{"table_full", 1114, "The table is full", Reason::storage_full, false, Reason::in_doubt},
        Case{"disk_full", 1021, "Disk full", Reason::storage_full, false, Reason::in_doubt},
        Case{"engine_28", 1030, "Got error 28 from storage engine", Reason::storage_full, false, Reason::in_doubt},
        Case{"engine_28_mariadb", 1030, "Got error 28 \"No space left on device\" from storage engine InnoDB",
             Reason::storage_full, false, Reason::in_doubt},
        Case{"engine_other", 1030, "Got error 168 from storage engine", Reason::internal, false, Reason::in_doubt},
        Case{"write_28", 3, "Error writing file '/tmp/x' (Errcode: 28 \"No space left on device\")",
             Reason::storage_full, false, Reason::in_doubt},
        Case{"duplicate", 1062, "Duplicate entry", Reason::rejected_by_store, false, Reason::in_doubt},
        Case{"too_long", 1406, "Data too long", Reason::rejected_by_store, false, Reason::in_doubt},
        Case{"bad_charset", 1366, "Incorrect string value", Reason::rejected_by_store, false, Reason::in_doubt},
        Case{"out_of_range", 1264, "Out of range", Reason::rejected_by_store, false, Reason::in_doubt},
        Case{"packet", 1153, "Got a packet bigger", Reason::rejected_by_store, true, Reason::in_doubt},
        Case{"no_table", 1146, "doesn't exist", Reason::internal, false, Reason::in_doubt},
        Case{"out_of_sync", 2014, "Commands out of sync", Reason::internal, true, Reason::in_doubt},
        Case{"unset_parameter", 0, "Value not set", Reason::internal, true, Reason::in_doubt}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TranslateTest, KnowsEveryKindOfException) {
  const auto reason = [](auto exception) { return translate(std::make_exception_ptr(exception)).reason; };
  EXPECT_EQ(reason(sql::SQLException("x", "40001", 1213)), Reason::conflict);
  EXPECT_EQ(reason(InjectedFault("begin", false)), Reason::conflict);
  EXPECT_EQ(reason(InjectedFault("begin", true)), Reason::unavailable);
  EXPECT_EQ(reason(std::bad_alloc()), Reason::unavailable);
  EXPECT_EQ(reason(std::logic_error("bug")), Reason::internal);
  EXPECT_EQ(reason(7), Reason::internal);
}

TEST(TranslateTest, ALostAnswerPoisonsARefusalDoesNot) {
  EXPECT_TRUE(translate(std::make_exception_ptr(InjectedFault("x", true))).poisoned);
  EXPECT_FALSE(translate(std::make_exception_ptr(InjectedFault("x", false))).poisoned);
  EXPECT_TRUE(translate(std::make_exception_ptr(std::logic_error("bug"))).poisoned);
}

TEST(ClassifyTest, AMissingPrivilegeNamesTheRemedy) {
  EXPECT_NE(classify(1142, "INSERT command denied").detail.find("GRANT SELECT, INSERT, UPDATE, DELETE"), std::string::npos);
  EXPECT_EQ(classify(1142, "INSERT command denied").reason, Reason::internal);
}

TEST(ClassifyTest, AMissingTableOrColumnNamesTheRemedy) {
  for (const int code : {1146, 1054}) {
    EXPECT_NE(classify(code, "x").detail.find("lmtpctl schema check"), std::string::npos) << code;
    EXPECT_EQ(classify(code, "x").reason, Reason::internal) << code;
  }
  EXPECT_EQ(classify(1064, "syntax").detail.find("lmtpctl"), std::string::npos);
}

TEST(ClassifyTest, ServerAndClientLibraryAreToldApart) {
  for (const int code : {0, 2006, 2013, 2999, 5004}) {
    EXPECT_TRUE(from_client_library(code)) << code;
    EXPECT_TRUE(classify(code, "x").poisoned) << code;
  }
  for (const int code : {1062, 1927, 3024, 4031}) EXPECT_FALSE(from_client_library(code)) << code;
}

TEST(AtConnectTest, SaysWhatTheOperatorCanDo) {
  EXPECT_NE(at_connect(classify(1045, "Access denied"), 1045).detail.find("storage.uri"), std::string::npos);
  EXPECT_EQ(at_connect(classify(1045, "Access denied"), 1045).reason, Reason::internal);
  EXPECT_EQ(at_connect(classify(1049, "Unknown database"), 1049).reason, Reason::internal);
  EXPECT_EQ(at_connect(classify(2002, "Can't connect"), 2002).reason, Reason::unavailable);
}

}  // namespace
}  // namespace storage::mysql
