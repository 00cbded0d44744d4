#include "storage/batch/known_values.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/manual_clock.h"

namespace storage::batch {
namespace {

class KnownValuesTest : public testing::Test {
 protected:
  testing_support::ManualClock clock_;
  KnownValues known_{clock_};
};

TEST_F(KnownValuesTest, HashAndValueDecide) {
  known_.remember("h", "one", 7);
  EXPECT_EQ(known_.find("h", "one"), 7);
  EXPECT_EQ(known_.find("h", "two"), 0);
  EXPECT_EQ(known_.find("other", "one"), 0);
  known_.remember("h", "two", 8);  // the same hash, as SHA-1 allows
  EXPECT_EQ(known_.find("h", "one"), 0);
  EXPECT_EQ(known_.find("h", "two"), 8);
  EXPECT_EQ(known_.size(), 1u);
}

TEST_F(KnownValuesTest, NothingIsBelievedForEver) {
  known_.remember("h", "one", 7);
  clock_.advance(KnownValues::max_age);
  EXPECT_EQ(known_.find("h", "one"), 7);  // being used does not make it younger
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(known_.find("h", "one"), 0);
  EXPECT_EQ(known_.size(), 0u);
}

TEST_F(KnownValuesTest, TheLeastRecentlyUsedGoesFirst) {
  for (std::size_t i = 0; i < KnownValues::max_entries; ++i) known_.remember(std::to_string(i), "v", 1);
  EXPECT_EQ(known_.find("0", "v"), 1);
  known_.remember("new", "v", 2);
  EXPECT_EQ(known_.size(), KnownValues::max_entries);
  EXPECT_EQ(known_.find("0", "v"), 1);
  EXPECT_EQ(known_.find("1", "v"), 0);
  EXPECT_EQ(known_.find("new", "v"), 2);
}

TEST_F(KnownValuesTest, LongValuesAndClearing) {
  known_.remember("long", std::string(KnownValues::max_octets + 1, 'x'), 7);
  EXPECT_EQ(known_.size(), 0u);
  known_.remember("h", "v", 7);
  known_.clear();
  EXPECT_EQ(known_.find("h", "v"), 0);
}

}  // namespace
}  // namespace storage::batch
