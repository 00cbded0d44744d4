#include "bench/load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bench::load {

// Values below 64 have a slot each; above, the six bits after the leading one choose the step.
std::size_t Histogram::slot_of(std::uint64_t value) {
  constexpr std::uint64_t steps = 1u << sub_bits;
  if (value < steps) return value;
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - sub_bits;
  return std::min<std::size_t>(((shift + 1) << sub_bits) + ((value >> shift) - steps), slots - 1);
}

std::uint64_t Histogram::bound_of(std::size_t slot) {
  constexpr std::uint64_t steps = 1u << sub_bits;
  if (slot < steps) return slot;
  const std::size_t shift = (slot >> sub_bits) - 1;
  return (((slot & (steps - 1)) + steps + 1) << shift) - 1;
}

void Histogram::record(std::chrono::microseconds latency) {
  const std::uint64_t value = latency.count() > 0 ? static_cast<std::uint64_t>(latency.count()) : 0;
  ++counts_[slot_of(value)];
  ++count_;
  sum_ += value;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < slots; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double Histogram::mean_us() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }

std::chrono::microseconds Histogram::quantile(double share) const {
  if (count_ == 0) return std::chrono::microseconds(0);
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    seen += counts_[i];
    if (seen >= wanted) return std::chrono::microseconds(std::min(bound_of(i), max_));
  }
  return max();
}

}  // namespace bench::load
