#include "lmtpd/observe/metrics.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace lmtpd::observe {
namespace {

struct NamedCounter {
  std::string_view name;
  const Counter Metrics::*field;
};
constexpr NamedCounter counters[] = {
    {"sessions_accepted", &Metrics::sessions_accepted},     {"sessions_refused", &Metrics::sessions_refused},
    {"sessions_timed_out", &Metrics::sessions_timed_out},   {"messages_too_slow", &Metrics::messages_too_slow},
    {"sessions_lost", &Metrics::sessions_lost},
    {"replies_dropped", &Metrics::replies_dropped},         {"commands_rejected", &Metrics::commands_rejected},
    {"messages_received", &Metrics::messages_received},     {"octets_received", &Metrics::octets_received},
    {"budget_timeouts", &Metrics::budget_timeouts},         {"queue_refusals", &Metrics::queue_refusals},
    {"queue_deadlines", &Metrics::queue_deadlines},         {"taken_deadlines", &Metrics::taken_deadlines},
    {"batches_committed", &Metrics::batches_committed},     {"deliveries_committed", &Metrics::deliveries_committed},
    {"batches_failed", &Metrics::batches_failed},           {"batches_split", &Metrics::batches_split},
    {"batches_in_doubt", &Metrics::batches_in_doubt},       {"conflicts_retried", &Metrics::conflicts_retried},
    {"unavailable_retried", &Metrics::unavailable_retried}, {"lookups_asked", &Metrics::lookups_asked},
    {"lookups_cached", &Metrics::lookups_cached},           {"lookup_calls", &Metrics::lookup_calls},
    {"lookup_failures", &Metrics::lookup_failures},         {"log_lines", &Metrics::log_lines},
};

struct NamedGauge {
  std::string_view name;
  const Gauge Metrics::*field;
};
constexpr NamedGauge gauges[] = {
    {"sessions_open", &Metrics::sessions_open},     {"queue_deliveries", &Metrics::queue_deliveries},
    {"queue_octets", &Metrics::queue_octets},       {"budget_octets", &Metrics::budget_octets},
    {"writers_open", &Metrics::writers_open},       {"writers_leased", &Metrics::writers_leased},
    {"lookups_open", &Metrics::lookups_open},       {"lookups_leased", &Metrics::lookups_leased},
    {"connects_failed", &Metrics::connects_failed}, {"store_down", &Metrics::store_down},
};

struct NamedHistogram {
  std::string_view name;
  const Histogram Metrics::*field;
};
constexpr NamedHistogram histograms[] = {
    {"batch_deliveries", &Metrics::batch_deliveries},
    {"wait_microseconds", &Metrics::wait_microseconds},
    {"commit_microseconds", &Metrics::commit_microseconds},
};

void add_line(std::string& text, std::string_view name, std::string_view suffix, const std::string& value) {
  text.append("lmtpd_").append(name).append(suffix).append(" ").append(value).append("\n");
}

void add_histogram(std::string& text, std::string_view name, const Histogram& histogram) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i + 1 < Histogram::buckets; ++i) {
    below += histogram.bucket(i);
    const std::string label = "_bucket{le=\"" + std::to_string((std::uint64_t{1} << i) - 1) + "\"}";
    add_line(text, name, label, std::to_string(below));
  }
  below += histogram.bucket(Histogram::buckets - 1);
  add_line(text, name, "_bucket{le=\"+Inf\"}", std::to_string(below));
  add_line(text, name, "_sum", std::to_string(histogram.sum()));
  add_line(text, name, "_count", std::to_string(histogram.count()));
}

}  // namespace

void Histogram::record(std::uint64_t value) {
  const auto bits = static_cast<std::size_t>(std::bit_width(value));
  counts_.at(std::min(bits, buckets - 1)).add();
  count_.add();
  sum_.add(value);
}

std::string Metrics::to_text() const {
  std::string text;
  for (const auto& [name, field] : counters) add_line(text, name, "_total", std::to_string((this->*field).value()));
  for (int i = 0; i < storage::reason_count; ++i) {
    const auto reason = static_cast<storage::Reason>(i);
    const std::string label = "_total{reason=\"" + std::string(storage::to_string(reason)) + "\"}";
    add_line(text, "outcomes", label, std::to_string(outcome(reason).value()));
  }
  for (const auto& [name, field] : gauges) add_line(text, name, "", std::to_string((this->*field).value()));
  for (const auto& [name, field] : histograms) add_histogram(text, name, this->*field);
  return text;
}

}  // namespace lmtpd::observe
