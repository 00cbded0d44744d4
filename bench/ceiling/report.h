// bench/ceiling/report.h: what a measurement found, as JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "bench/ceiling/deliveries.h"
#include "bench/load/histogram.h"

namespace bench::ceiling {

struct Result {
  std::string level;  // "driver" or "raw"
  std::chrono::microseconds elapsed{0};
  std::size_t messages = 0;
  std::size_t transactions = 0;
  load::Histogram transaction_latency;
  std::map<std::string, std::uint64_t> statements;  // driver level: by name, in the timed part
  std::map<std::string, std::uint64_t> rows;        // raw level: by table, in the timed part
};

void print_json(const Result& result, const Work& work, std::ostream& out);

// Stores the batches of every connection at once, each on a thread of its own; the clock runs from the moment in which
// all are ready. make_store(connection) returns what stores one batch and runs on that connection's thread; it is
// called before the clock starts.
using StoreOne = std::function<void(std::size_t batch)>;
using MakeStore = std::function<StoreOne(int connection)>;
void measure(const std::vector<std::size_t>& batches_per_connection, const MakeStore& make_store, Result& result);

// Batches dealt out evenly: connection → how many.
[[nodiscard]] std::vector<std::size_t> shares(std::size_t batches, int connections);

}  // namespace bench::ceiling
