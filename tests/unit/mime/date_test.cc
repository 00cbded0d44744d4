#include "lmtpd/mime/date.h"

#include <gtest/gtest.h>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

TEST(Date, WallClockOfItsOwnZone) {
  initialise_gmime();
  const auto date = parse_date("Tue, 5 Nov 2024 23:30:00 -0500 (EST)");
  ASSERT_TRUE(date);
  EXPECT_EQ(date->wall_clock, "2024-11-05 23:30:00");
  EXPECT_EQ(date->day(), "2024-11-05");
}

TEST(Date, WhatIsNoDate) {
  initialise_gmime();
  for (const char* text : {"", "yesterday", "Thu, 31 Feb 4459 99:99:99 +9999", "Mon, 1 Jan 0999 00:00:00 +0000"}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
}

TEST(Date, Rfc5322) {
  EXPECT_EQ(rfc5322_date("2026-11-30 10:57:45"), "Mon, 30 Nov 2026 10:57:45 +0000");
  EXPECT_EQ(rfc5322_date("2024-02-29 00:00:00"), "Thu, 29 Feb 2024 00:00:00 +0000");
  for (const char* text : {"", "2026-02-30 00:00:00", "2026-11-30", "2026-11-30T10:57:45Z"})
    EXPECT_EQ(rfc5322_date(text), "");
}

}  // namespace
}  // namespace lmtpd::mime
