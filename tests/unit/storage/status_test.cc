#include "storage/status.h"

#include <gtest/gtest.h>

#include <set>

namespace storage {
namespace {

TEST(Status, EveryReasonHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int i = 0; i < reason_count; ++i) words.insert(to_string(static_cast<Reason>(i)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(reason_count));
  EXPECT_FALSE(words.contains("unknown"));
}

TEST(Status, OurOwnFaultsAreTransient) {
  for (const Reason reason : {Reason::busy, Reason::deadline, Reason::unavailable, Reason::conflict, Reason::rejected_by_store,
                              Reason::storage_full, Reason::in_doubt, Reason::internal}) {
    EXPECT_TRUE(is_transient(reason)) << to_string(reason);
  }
}

TEST(Status, StoredBeforeIsAlsoOk) {
  EXPECT_TRUE(Status(Reason::already_stored).ok());
  EXPECT_FALSE(Status(Reason::over_quota).ok());
}

}  // namespace
}  // namespace storage
