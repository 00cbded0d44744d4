#include "bench/ceiling/raw_level.h"

#include <algorithm>
#include <memory>

#include "bench/ceiling/raw_writer.h"

namespace bench::ceiling {
namespace {

// No message of the generator has as many parts, or cached header values.
constexpr std::size_t ids_per_message = 64;

}  // namespace

Result run_raw_level(const Work& work) {
  const std::vector<storage::Target> targets = resolve_targets(work);
  const auto connections = static_cast<std::size_t>(work.connections);
  const std::size_t warm_messages = work.warm_up * connections;
  std::vector<Batch> deliveries = make_batches(work, targets, work.messages, 0);
  const std::size_t measured = deliveries.size();
  std::vector<Batch> warm = make_batches(work, targets, warm_messages, 1);
  std::move(warm.begin(), warm.end(), std::back_inserter(deliveries));

  std::vector<std::unique_ptr<RawWriter>> writers;
  for (std::size_t i = 0; i < connections; ++i) writers.push_back(make_raw_writer(work.storage));
  const storage::batch::HeaderNames names = writers.front()->header_names();
  NextIds next = writers.front()->reserve((work.messages + warm_messages) * ids_per_message);
  const RawWork raw = record(deliveries, names, next);

  const std::vector<std::size_t> per_connection = shares(measured, work.connections);
  writers.front()->prepare(raw.shared);
  writers.front()->write(raw.shared);
  for (std::size_t i = 0; i < raw.batches.size(); ++i) writers[i % connections]->prepare(raw.batches[i]);
  for (std::size_t i = measured; i < raw.batches.size(); ++i) writers[i % connections]->write(raw.batches[i]);

  Result result;
  result.level = "raw";
  result.messages = work.messages;
  result.transactions = measured;
  measure(
      per_connection,
      [&](int number) {
        const auto c = static_cast<std::size_t>(number);
        return [&, c](std::size_t batch) { writers[c]->write(raw.batches[batch * connections + c]); };
      },
      result);
  result.rows = count_rows(std::span(raw.batches).first(measured));
  return result;
}

}  // namespace bench::ceiling
