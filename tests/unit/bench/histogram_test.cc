#include "bench/load/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bench::load {
namespace {

using us = std::chrono::microseconds;

TEST(Histogram, EmptyIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.quantile(0.99), us(0));
  EXPECT_EQ(histogram.mean_us(), 0);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (int i = 1; i <= 60; ++i) histogram.record(us(i));
  EXPECT_EQ(histogram.quantile(0.5), us(30));
  EXPECT_EQ(histogram.quantile(1), us(60));
  EXPECT_DOUBLE_EQ(histogram.mean_us(), 30.5);
}

// Law: a quantile is never below the true one and at most 1/64 above.
TEST(Histogram, QuantilesOfAnyValuesAreNear) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    Histogram histogram;
    std::vector<std::int64_t> values;
    for (int i = 0; i < 1000; ++i) {
      values.push_back(static_cast<std::int64_t>(random() >> (32 + random() % 32)));
      histogram.record(us(values.back()));
    }
    std::sort(values.begin(), values.end());
    for (const double share : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * 1000)) - 1;
      const auto truth = static_cast<double>(values[rank]);
      const auto found = static_cast<double>(histogram.quantile(share).count());
      EXPECT_GE(found, truth);
      EXPECT_LE(found, truth * (1 + 1.0 / 64) + 1);
    }
  }
}

TEST(Histogram, MergedIsAsIfRecordedTogether) {
  Histogram one;
  Histogram other;
  Histogram both;
  for (int i = 0; i < 500; ++i) {
    (i % 3 == 0 ? one : other).record(us(i * i));
    both.record(us(i * i));
  }
  one.merge(other);
  EXPECT_EQ(one.count(), both.count());
  EXPECT_EQ(one.max(), both.max());
  EXPECT_DOUBLE_EQ(one.mean_us(), both.mean_us());
  for (const double share : {0.1, 0.5, 0.99}) EXPECT_EQ(one.quantile(share), both.quantile(share));
}

TEST(Histogram, ExtremesAreKept) {
  Histogram histogram;
  histogram.record(us(-5));
  histogram.record(std::chrono::hours(10));
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.quantile(0.5), us(0));
  EXPECT_EQ(histogram.max(), us(std::chrono::hours(10)));
}

}  // namespace
}  // namespace bench::load
