#include <benchmark/benchmark.h>

#include "bench/ceiling/raw_batch.h"

namespace {

using namespace bench::ceiling;

// Ten deliveries → the rows of one transaction, as storage/batch makes them for every engine (twice, as record() looks
// first).
void rows_of_batch(benchmark::State& state) {
  Work work;
  work.batch = 10;
  work.recipients = {"user@example.org"};
  const std::vector<Batch> batches = make_batches(work, {storage::Target(1, "INBOX", 1)}, 10, 0);
  const storage::batch::HeaderNames names = {{"date", 1},     {"from", 2},    {"message-id", 3},
                                             {"received", 4}, {"subject", 5}, {"to", 6}};
  for (auto _ : state) {
    NextIds next;
    benchmark::DoNotOptimize(record(batches, names, next));
  }
  state.SetItemsProcessed(state.iterations() * 10);
}
BENCHMARK(rows_of_batch);

}  // namespace
