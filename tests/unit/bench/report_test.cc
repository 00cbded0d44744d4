#include "bench/ceiling/report.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace bench::ceiling {
namespace {

TEST(Shares, AreEvenAndComplete) {
  EXPECT_EQ(shares(10, 3), (std::vector<std::size_t>{4, 3, 3}));
  EXPECT_EQ(shares(2, 3), (std::vector<std::size_t>{1, 1, 0}));
  EXPECT_EQ(shares(6, 1), (std::vector<std::size_t>{6}));
}

TEST(Measure, RunsEveryBatchOnce) {
  std::atomic<int> made = 0;
  std::atomic<std::size_t> stored = 0;
  Result result;
  measure(
      {3, 2, 0},
      [&](int) -> StoreOne {
        ++made;
        return [&](std::size_t) { ++stored; };
      },
      result);
  EXPECT_EQ(made, 3);
  EXPECT_EQ(stored, 5u);
  EXPECT_EQ(result.transaction_latency.count(), 5u);
}

TEST(Measure, PassesTheFirstFaultOn) {
  Result result;
  const auto fails_late = [](int connection) -> StoreOne {
    return [connection](std::size_t batch) {
      if (connection == 1 && batch == 1) throw std::runtime_error("refused");
    };
  };
  EXPECT_THROW(measure({3, 3}, fails_late, result), std::runtime_error);
  const auto fails_early = [](int connection) -> StoreOne {
    if (connection == 0) throw std::runtime_error("no connection");
    return [](std::size_t) {};
  };
  EXPECT_THROW(measure({3, 3}, fails_early, result), std::runtime_error);
}

}  // namespace
}  // namespace bench::ceiling
