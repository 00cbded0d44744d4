// bench/ceiling/deliveries.h: the batches that a measurement stores, made before the clock starts: lmtp-load's messages
// through the daemon's own decomposition. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/load/message_source.h"
#include "storage/delivery.h"
#include "storage/options.h"

namespace bench::ceiling {

struct Work {
  storage::Options storage;
  std::vector<std::string> recipients;  // addresses of the store, used in turn
  int recipients_per_message = 1;
  std::size_t messages = 1000;
  std::size_t batch = 10;   // messages per transaction
  int connections = 2;      // each with a thread
  std::size_t warm_up = 0;  // messages that each connection stores before the clock starts
  std::uint64_t seed = 1;
  load::MessageMix mix;
};

using Batch = std::vector<storage::Delivery>;

// Looks every recipient up. Throws std::runtime_error with the address that has no mailbox.
[[nodiscard]] std::vector<storage::Target> resolve_targets(const Work& work);

// At least `messages` deliveries in batches of work.batch (the last one may be smaller). part: another one makes other
// messages.
[[nodiscard]] std::vector<Batch> make_batches(const Work& work, const std::vector<storage::Target>& targets,
                                              std::size_t messages, std::uint64_t part);

}  // namespace bench::ceiling
