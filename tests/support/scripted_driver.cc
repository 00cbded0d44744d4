#include "tests/support/scripted_driver.h"

#include <algorithm>

#include "storage/admin.h"

namespace testing_support {

using storage::Address;
using storage::Delivery;
using storage::MailboxId;
using storage::Reason;
using storage::Resolution;
using storage::Status;
using storage::TargetOutcome;

class ScriptedConnection final : public storage::Connection {
 public:
  explicit ScriptedConnection(ScriptedDriver& driver) : driver_(driver) {
    const std::lock_guard lock(driver_.mutex_);
    driver_.counts_.most_open = std::max(driver_.counts_.most_open, ++driver_.counts_.open);
  }
  ~ScriptedConnection() override {
    driver_.on_close();
    const std::lock_guard lock(driver_.mutex_);
    --driver_.counts_.open;
  }

  Status resolve(std::span<const Address> in, std::span<Resolution> out) override {
    {
      const std::lock_guard lock(driver_.mutex_);
      driver_.counts_.resolves.emplace_back(in.begin(), in.end());
    }
    if (Status status = seen(driver_.on_resolve(in)); !status.ok()) return status;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool known = !in[i].local.starts_with("unknown");
      out[i].status = Status(known ? Reason::ok : Reason::no_such_mailbox);
      if (known) out[i].targets = {storage::Target(1, in[i].local, 1)};
    }
    return Status();
  }

  Status store(std::span<const Delivery> batch, std::span<TargetOutcome> out) override {
    count(&ScriptedDriver::Counts::stores);
    if (Status status = seen(driver_.on_store(batch)); !status.ok()) return status;
    const std::lock_guard lock(driver_.mutex_);
    std::size_t i = 0;
    for (const Delivery& delivery : batch) {
      for (const auto& target : delivery.targets) {
        TargetOutcome& outcome = out[i++];
        const std::string id =
            storage::unique_id(delivery.sender, target.mailbox_id, delivery.message.content_digest, delivery.salt);
        int& copies = driver_.copies_[{target.mailbox_id, id}];
        outcome = TargetOutcome(Status(copies == 0 ? Reason::ok : Reason::already_stored));
        outcome.key = storage::StoredKey(target.mailbox_id, id);
        copies += copies == 0 ? 1 : 0;
      }
    }
    driver_.counts_.batches.push_back(batch.size());
    driver_.after_store(out);
    return Status();
  }

  Status settle(std::span<TargetOutcome> outcomes) override {
    count(&ScriptedDriver::Counts::settles);
    if (Status status = seen(driver_.on_settle()); !status.ok()) return status;
    for (TargetOutcome& outcome : outcomes) {
      if (!outcome.status.ok()) continue;
      if (driver_.copies(outcome.key.mailbox, outcome.key.unique_id) == 0) outcome.status = Status(Reason::in_doubt);
    }
    return Status();
  }

  Status ping() override {
    count(&ScriptedDriver::Counts::pings);
    return seen(driver_.on_ping());
  }
  bool usable() const override { return usable_; }

 private:
  void count(int ScriptedDriver::Counts::*counter) {
    const std::lock_guard lock(driver_.mutex_);
    ++(driver_.counts_.*counter);
  }
  Status seen(Status status) {
    if (!status.ok() && !driver_.survives(status.reason())) usable_ = false;
    return status;
  }

  ScriptedDriver& driver_;
  bool usable_ = true;
};

Status ScriptedDriver::connect(std::unique_ptr<storage::Connection>& out) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.connects;
  }
  if (Status status = on_connect(); !status.ok()) return status;
  out = std::make_unique<ScriptedConnection>(*this);
  return Status();
}

Status ScriptedDriver::max_message_size(std::uint64_t& octets) {
  octets = UINT64_MAX;
  return Status();
}

Status ScriptedDriver::open_admin(std::unique_ptr<storage::Admin>&) {
  return Status(Reason::internal, "the scripted store has no second door");
}

ScriptedDriver::Counts ScriptedDriver::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

int ScriptedDriver::copies(MailboxId mailbox, const std::string& unique_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = copies_.find({mailbox, unique_id});
  return found == copies_.end() ? 0 : found->second;
}

std::size_t ScriptedDriver::copies() const {
  const std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for (const auto& [key, copies] : copies_) all += static_cast<std::size_t>(copies);
  return all;
}

Delivery numbered_delivery(int number, int targets, std::size_t octets) {
  storage::Message message;
  message.text = std::string(octets, 'x');
  message.message_size = octets;
  message.facts.message_id = std::to_string(number);
  for (std::size_t i = 0; i < 4; ++i) {
    message.content_digest[i] = static_cast<unsigned char>(static_cast<unsigned>(number) >> (8 * i));
  }
  std::vector<storage::Target> mailboxes;
  for (int i = 1; i <= targets; ++i) mailboxes.emplace_back(1, "INBOX", i);
  return Delivery("bob@example.org", std::move(message), std::move(mailboxes));
}

int number_of(const Delivery& delivery) {
  return std::stoi(delivery.message.facts.message_id);
}

std::vector<int> copies_of(const ScriptedDriver& driver, int number, int targets) {
  const Delivery delivery = numbered_delivery(number, targets);
  std::vector<int> copies;
  for (const auto& target : delivery.targets) {
    copies.push_back(driver.copies(
        target.mailbox_id,
        storage::unique_id(delivery.sender, target.mailbox_id, delivery.message.content_digest, delivery.salt)));
  }
  return copies;
}

}  // namespace testing_support
