#include "bench/ceiling/deliveries.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "lmtpd/mime/decomposer.h"
#include "storage/driver.h"
#include "storage/registry.h"

namespace bench::ceiling {
namespace {

constexpr std::string_view sender = "load@example.net";

storage::Message decompose(const std::string& text) {
  static const lmtpd::mime::Options options;
  lmtpd::mime::Decomposer decomposer(options, sender, "2026-11-30 10:00:00");
  decomposer.feed(text);
  return decomposer.finish();
}

storage::Address address_of(const std::string& text) {
  const std::size_t at = text.rfind('@');
  return at == std::string::npos ? storage::Address(text, "")
                                 : storage::Address(text.substr(0, at), text.substr(at + 1));
}

}  // namespace

std::vector<storage::Target> resolve_targets(const Work& work) {
  const auto driver = storage::make_driver(work.storage);
  std::unique_ptr<storage::Connection> connection;
  if (const storage::Status status = driver->connect(connection); !status.ok())
    throw std::runtime_error(status.detail());
  std::vector<storage::Address> addresses;
  for (const std::string& recipient : work.recipients) addresses.push_back(address_of(recipient));
  std::vector<storage::Resolution> found(addresses.size());
  if (const storage::Status status = connection->resolve(addresses, found); !status.ok())
    throw std::runtime_error(status.detail());
  std::vector<storage::Target> targets;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].status.ok() || found[i].targets.empty())
      throw std::runtime_error(work.recipients[i] + " has no mailbox");
    targets.push_back(found[i].targets.front());
  }
  return targets;
}

std::vector<Batch> make_batches(const Work& work, const std::vector<storage::Target>& targets, std::size_t messages,
                                std::uint64_t part) {
  load::MessageSource source(work.seed * 1'000'003 + part, work.mix);
  const auto copies = std::min<std::size_t>(static_cast<std::size_t>(work.recipients_per_message), targets.size());
  std::vector<Batch> batches;
  std::size_t next_target = 0;
  for (std::size_t i = 0; i < messages; ++i) {
    if (i % work.batch == 0) batches.emplace_back().reserve(work.batch);
    const std::size_t first = next_target;
    std::vector<storage::Target> chosen;
    for (std::size_t c = 0; c < copies; ++c) chosen.push_back(targets[next_target++ % targets.size()]);
    const std::string label = "c" + std::to_string(work.seed) + "-" + std::to_string(part) + "-" + std::to_string(i);
    const std::string text = source.next(label, work.recipients[first % work.recipients.size()]);
    batches.back().emplace_back(std::string(sender), decompose(text), std::move(chosen));
  }
  return batches;
}

}  // namespace bench::ceiling
