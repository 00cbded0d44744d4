#include <benchmark/benchmark.h>

#include "bench/ceiling/raw_batch.h"
#include "storage/postgresql/binary_array.h"

namespace {

using namespace bench::ceiling;
using namespace storage::postgresql;

// The largest parameters of a PostgreSQL batch of ten: hashes and octets of its parts.
void encode_parts(benchmark::State& state) {
  Work work;
  work.batch = 10;
  work.recipients = {"user@example.org"};
  const std::vector<Batch> batches = make_batches(work, {storage::Target(1, "INBOX", 1)}, 10, 0);
  NextIds next;
  const RawWork raw = record(batches, {}, next);
  const storage::batch::Content& content = raw.batches.front().content;
  std::size_t octets = 0;
  for (auto _ : state) {
    const std::string hashes = text_array(content.parts, &storage::batch::PartKey::hash).take_image();
    const std::string data = octets_array(Element::bytea, content.parts, &storage::batch::PartKey::data).take_image();
    octets = hashes.size() + data.size();
    benchmark::DoNotOptimize(octets);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(octets));
}
BENCHMARK(encode_parts);

}  // namespace
