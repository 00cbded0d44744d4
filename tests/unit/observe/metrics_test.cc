#include "lmtpd/observe/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmtpd::observe {
namespace {

using testing::HasSubstr;

TEST(Metrics, ShowsCountersGaugesAndReasons) {
  Metrics metrics;
  metrics.sessions_accepted.add(3);
  metrics.queue_deliveries.add(5);
  metrics.queue_deliveries.subtract(2);
  metrics.outcome(storage::Reason::over_quota).add();
  const std::string text = metrics.to_text();
  EXPECT_THAT(text, HasSubstr("lmtpd_sessions_accepted_total 3\n"));
  EXPECT_THAT(text, HasSubstr("lmtpd_queue_deliveries 3\n"));
  EXPECT_THAT(text, HasSubstr("lmtpd_outcomes_total{reason=\"over_quota\"} 1\n"));
}

TEST(Metrics, EveryReasonHasALine) {
  const std::string text = Metrics().to_text();
  for (int i = 0; i < storage::reason_count; ++i) {
    const std::string word(storage::to_string(static_cast<storage::Reason>(i)));
    EXPECT_THAT(text, HasSubstr("{reason=\"" + word + "\"} 0\n"));
  }
}

TEST(Histogram, BucketsAreCumulativeAndEndInTheCount) {
  Metrics metrics;
  for (const std::uint64_t value : {0u, 1u, 2u, 3u, 100u}) metrics.batch_deliveries.record(value);
  metrics.batch_deliveries.record(UINT64_C(1) << 40);
  const std::string text = metrics.to_text();
  EXPECT_THAT(text, HasSubstr("lmtpd_batch_deliveries_bucket{le=\"0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("lmtpd_batch_deliveries_bucket{le=\"1\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("lmtpd_batch_deliveries_bucket{le=\"3\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("lmtpd_batch_deliveries_bucket{le=\"127\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("lmtpd_batch_deliveries_bucket{le=\"+Inf\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("lmtpd_batch_deliveries_count 6\n"));
}

}  // namespace
}  // namespace lmtpd::observe
