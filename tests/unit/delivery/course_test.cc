#include "lmtpd/delivery/course.h"

#include <gtest/gtest.h>

namespace lmtpd::delivery {
namespace {

using storage::Reason;

struct Case {
  const char* name;
  Reason reason;
  History history;
  Course course;
};

class CourseAfter : public testing::TestWithParam<Case> {};

TEST_P(CourseAfter, IsAsTheTableSays) {
  Options options;
  options.conflict_retries = 5;
  EXPECT_EQ(course_after(GetParam().reason, GetParam().history, options), GetParam().course);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CourseAfter,
    testing::Values(
        Case{"first_conflict", Reason::conflict, {.deliveries = 9, .conflicts = 1}, Course::again},
        Case{"fifth_conflict", Reason::conflict, {.deliveries = 9, .conflicts = 5}, Course::again},
        Case{"sixth_conflict_of_many", Reason::conflict, {.deliveries = 9, .conflicts = 6}, Course::split},
        Case{"sixth_conflict_of_one", Reason::conflict, {.deliveries = 1, .conflicts = 6}, Course::give_up},
        Case{"second_conflict_of_a_half",
             Reason::conflict,
             {.deliveries = 4, .half = true, .conflicts = 2},
             Course::split},
        Case{"slow_conflict_of_many", Reason::conflict, {.deliveries = 9, .conflicts = 1, .slow = true}, Course::split},
        Case{"slow_conflict_of_one", Reason::conflict, {.deliveries = 1, .conflicts = 1, .slow = true}, Course::again},
        Case{"rejected_many", Reason::rejected_by_store, {.deliveries = 2}, Course::split},
        Case{"rejected_one", Reason::rejected_by_store, {.deliveries = 1}, Course::give_up},
        Case{"internal_many", Reason::internal, {.deliveries = 2}, Course::split},
        Case{"too_large_one", Reason::message_too_large, {.deliveries = 1}, Course::give_up},
        Case{"statement_timeout_many", Reason::deadline, {.deliveries = 2}, Course::split},
        Case{"disk_full_many", Reason::storage_full, {.deliveries = 2}, Course::give_up},
        Case{"lost_once", Reason::unavailable, {.deliveries = 9, .losses = 1}, Course::again},
        Case{"lost_thrice_many", Reason::unavailable, {.deliveries = 9, .losses = 3}, Course::split},
        Case{"lost_thrice_one", Reason::unavailable, {.deliveries = 1, .losses = 3}, Course::give_up},
        Case{"lost_half_twice", Reason::unavailable, {.deliveries = 2, .half = true, .losses = 2}, Course::split},
        Case{"in_doubt", Reason::in_doubt, {.deliveries = 9}, Course::settle}),
    [](const auto& test) { return std::string(test.param.name); });

// Whatever keeps failing, a lane comes to an end: again is never the answer for ever, and one delivery is never split.
TEST(CourseAfterAnything, Ends) {
  const Options options;
  for (int i = 0; i < storage::reason_count; ++i) {
    const History worn_out{.deliveries = 1, .half = false, .conflicts = 100, .losses = 100, .slow = false};
    const Course course = course_after(static_cast<Reason>(i), worn_out, options);
    EXPECT_TRUE(course == Course::give_up || course == Course::settle) << i;
  }
}

}  // namespace
}  // namespace lmtpd::delivery
