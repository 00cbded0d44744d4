#include "storage/postgresql/errors.h"

#include <gtest/gtest.h>

#include <pqxx/except>

#include "storage/fault_hook.h"

namespace storage::postgresql {
namespace {

struct Case {
  const char* name;
  const char* sqlstate;
  Reason reason;
  bool poisoned;
};

class Verdicts : public testing::TestWithParam<Case> {};

TEST_P(Verdicts, AsDocumented) {
  const Verdict verdict = verdict_for(GetParam().sqlstate);
  EXPECT_EQ(verdict.reason, GetParam().reason);
  EXPECT_EQ(verdict.poisoned, GetParam().poisoned);
  EXPECT_TRUE(is_transient(verdict.reason)) << "a fault of the database must never bounce mail";
}

INSTANTIATE_TEST_SUITE_P(Table, Verdicts,
                         testing::Values(Case{"serialization_failure", "40001", Reason::conflict, false},
                                         Case{"deadlock_detected", "40P01", Reason::conflict, false},
                                         Case{"lock_timeout", "55P03", Reason::conflict, false},
                                         Case{"foreign_key", "23503", Reason::conflict, false},
                                         Case{"unique", "23505", Reason::rejected_by_store, false},
                                         Case{"too_long", "22001", Reason::rejected_by_store, false},
                                         Case{"bad_utf8", "22021", Reason::rejected_by_store, false},
                                         Case{"too_large", "54000", Reason::rejected_by_store, false},
                                         Case{"trigger", "P0001", Reason::rejected_by_store, false},
                                         Case{"statement_timeout", "57014", Reason::unavailable, false},
                                         Case{"admin_shutdown", "57P01", Reason::unavailable, true},
                                         Case{"starting_up", "57P03", Reason::unavailable, true},
                                         Case{"idle_in_transaction", "25P03", Reason::unavailable, true},
                                         Case{"transaction_timeout", "25P04", Reason::unavailable, true},
                                         Case{"read_only", "25006", Reason::unavailable, true},
                                         Case{"connection_exception", "08006", Reason::unavailable, true},
                                         Case{"too_many_connections", "53300", Reason::unavailable, false},
                                         Case{"disk_full", "53100", Reason::storage_full, false},
                                         Case{"out_of_memory", "53200", Reason::storage_full, false},
                                         Case{"io_error", "58030", Reason::unavailable, false},
                                         Case{"prepared_statement_gone", "26000", Reason::conflict, true},
                                         Case{"cached_plan", "0A000", Reason::conflict, true},
                                         Case{"wrong_password", "28P01", Reason::internal, true},
                                         Case{"no_database", "3D000", Reason::internal, true},
                                         Case{"no_table", "42P01", Reason::internal, false},
                                         Case{"no_privilege", "42501", Reason::internal, false},
                                         Case{"unknown", "ZZ999", Reason::internal, false},
                                         Case{"client_side", "", Reason::unavailable, true}),
                         [](const auto& row) { return row.param.name; });

template <typename Fault>
Translation translated(const Fault& fault, bool committing) {
  return translate(std::make_exception_ptr(fault), committing);
}

TEST(Translate, OnlyAnUnansweredCommitIsInDoubt) {
  const Error lost("", "gone", Error::Link::lost);
  EXPECT_EQ(translated(lost, true).status.reason(), Reason::in_doubt);
  EXPECT_EQ(translated(lost, false).status.reason(), Reason::unavailable);
  // The server may have committed before it obeyed the shutdown.
  const Error fatal("57P01", "terminating connection", Error::Link::lost);
  EXPECT_EQ(translated(fatal, true).status.reason(), Reason::in_doubt);
  // A refusal of COMMIT itself is definite.
  const Error refused("40001", "could not serialize", Error::Link::alive);
  EXPECT_EQ(translated(refused, true).status.reason(), Reason::conflict);
  EXPECT_FALSE(translated(refused, true).poisoned);
}

TEST(Translate, InjectedFaults) {
  EXPECT_EQ(translated(InjectedFault("commit", false), true).status.reason(), Reason::conflict);
  EXPECT_EQ(translated(InjectedFault("commit", true), true).status.reason(), Reason::in_doubt);
  EXPECT_EQ(translated(InjectedFault("find_parts", true), false).status.reason(), Reason::unavailable);
  EXPECT_TRUE(translated(InjectedFault("find_parts", true), false).poisoned);
}

TEST(Translate, OtherExceptionsNeverLookCommitted) {
  EXPECT_EQ(translated(std::bad_alloc(), false).status.reason(), Reason::unavailable);
  EXPECT_EQ(translated(std::bad_alloc(), true).status.reason(), Reason::in_doubt);
  EXPECT_EQ(translated(std::length_error("too long"), false).status.reason(), Reason::rejected_by_store);
  EXPECT_EQ(translated(pqxx::broken_connection("gone"), true).status.reason(), Reason::in_doubt);
  EXPECT_EQ(translated(std::runtime_error("bug"), true).status.reason(), Reason::in_doubt);
  EXPECT_EQ(translated(42, false).status.reason(), Reason::internal);
}

TEST(Translate, NamesTheStatement) {
  const Error error = Error("23505", "23505 duplicate key", Error::Link::alive).at("insert_content.headers");
  EXPECT_STREQ(error.what(), "insert_content.headers: 23505 duplicate key");
  EXPECT_EQ(error.sqlstate(), "23505");
}

}  // namespace
}  // namespace storage::postgresql
