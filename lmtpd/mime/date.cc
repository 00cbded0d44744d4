#include "lmtpd/mime/date.h"

#include <gmime/gmime.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>

namespace lmtpd::mime {
namespace {

constexpr int first_year = 1000;  // MySQL's datetime

struct Unref {
  void operator()(GDateTime* date) const { g_date_time_unref(date); }
};

}  // namespace

std::optional<HeaderDate> parse_date(const std::string& text) {
  const std::unique_ptr<GDateTime, Unref> date(g_mime_utils_header_decode_date(text.c_str()));
  if (!date || g_date_time_get_year(date.get()) < first_year) return std::nullopt;
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02d-%02d %02d:%02d:%02d", g_date_time_get_year(date.get()),
                g_date_time_get_month(date.get()), g_date_time_get_day_of_month(date.get()),
                g_date_time_get_hour(date.get()), g_date_time_get_minute(date.get()),
                g_date_time_get_second(date.get()));
  return HeaderDate{out.data()};
}

std::string rfc5322_date(const std::string& utc) {
  constexpr std::array<const char*, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (std::sscanf(utc.c_str(), "%4d-%2u-%2u ", &year, &month, &day) != 3 || utc.size() != 19) return {};
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return {};
  const std::chrono::weekday weekday{std::chrono::sys_days(date)};
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%s, %02u %s %04d ", days[weekday.c_encoding()], day, months[month - 1], year);
  return out.data() + utc.substr(11) + " +0000";
}

}  // namespace lmtpd::mime
