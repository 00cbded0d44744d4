#include "bench/ceiling/report.h"

#include <nlohmann/json.hpp>

#include <barrier>
#include <exception>
#include <ostream>
#include <thread>

namespace bench::ceiling {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::microseconds between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::microseconds>(to - from);
}

}  // namespace

std::vector<std::size_t> shares(std::size_t batches, int connections) {
  const auto count = static_cast<std::size_t>(connections);
  std::vector<std::size_t> out(count, batches / count);
  for (std::size_t i = 0; i < batches % count; ++i) ++out[i];
  return out;
}

void measure(const std::vector<std::size_t>& batches_per_connection, const MakeStore& make_store, Result& result) {
  const std::size_t connections = batches_per_connection.size();
  std::vector<load::Histogram> latencies(connections);
  std::vector<std::exception_ptr> faults(connections);
  Clock::time_point start;
  std::barrier ready(static_cast<std::ptrdiff_t>(connections), [&start]() noexcept { start = Clock::now(); });
  const auto work = [&](std::size_t connection) {
    StoreOne store;
    try {
      store = make_store(static_cast<int>(connection));
    } catch (...) {
      faults[connection] = std::current_exception();
    }
    ready.arrive_and_wait();
    if (!store) return;
    try {
      for (std::size_t batch = 0; batch < batches_per_connection[connection]; ++batch) {
        const Clock::time_point begin = Clock::now();
        store(batch);
        latencies[connection].record(between(begin, Clock::now()));
      }
    } catch (...) {
      faults[connection] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < connections; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  result.elapsed = between(start, Clock::now());
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
  for (const load::Histogram& latency : latencies) result.transaction_latency.merge(latency);
}

void print_json(const Result& result, const Work& work, std::ostream& out) {
  const double seconds = static_cast<double>(result.elapsed.count()) / 1e6;
  const nlohmann::json document = {
      {"level", result.level},
      {"connections", work.connections},
      {"batch", work.batch},
      {"recipients_per_message", work.recipients_per_message},
      {"messages", result.messages},
      {"transactions", result.transactions},
      {"seconds", seconds},
      {"messages_per_second", seconds > 0 ? static_cast<double>(result.messages) / seconds : 0},
      {"transaction_p50_us", result.transaction_latency.quantile(0.5).count()},
      {"transaction_p99_us", result.transaction_latency.quantile(0.99).count()},
      {"statements", result.statements},
      {"rows", result.rows}};
  out << document.dump(2) << '\n';
}

}  // namespace bench::ceiling
