// bench/load/histogram.h: latencies in logarithmic buckets with 1/64 resolution, from 1 µs to over an hour, in constant memory. One thread;
// merge() adds another thread's.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bench::load {

class Histogram {
 public:
  void record(std::chrono::microseconds latency);
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::chrono::microseconds max() const { return std::chrono::microseconds(max_); }
  [[nodiscard]] double mean_us() const;
  // The smallest recorded bucket bound that at least share (0 to 1) of the values do not exceed; 0 when empty.
  [[nodiscard]] std::chrono::microseconds quantile(double share) const;

 private:
  static constexpr unsigned sub_bits = 6;  // 64 steps per power of two: at most 1.6 % too high
  static constexpr std::size_t slots = (33 - sub_bits) << sub_bits;
  static std::size_t slot_of(std::uint64_t value);
  static std::uint64_t bound_of(std::size_t slot);

  std::array<std::uint64_t, slots> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace bench::load
