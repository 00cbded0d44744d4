#include "lmtpd/delivery/ticket.h"

namespace lmtpd::delivery {

Ticket::Ticket(Ticket&& other) noexcept
    : arrived(other.arrived),
      completion_(other.completion_.exchange(nullptr)),
      targets_(other.targets_),
      held_(std::move(other.held_)) {}

Ticket::~Ticket() {
  answer(storage::Status(storage::Reason::internal, "the delivery was dropped without an outcome"));
}

bool Ticket::answer(Outcome outcome) noexcept {
  const std::unique_ptr<Completion<Outcome>> completion(completion_.exchange(nullptr));
  if (completion == nullptr) return false;
  completion->complete(std::move(outcome));
  return true;
}

bool Ticket::answer(const storage::Status& status) noexcept {
  if (completion_.load() == nullptr) return false;
  return answer(Outcome(std::vector<storage::TargetOutcome>(targets_, storage::TargetOutcome(status))));
}

void free_message(storage::Delivery& delivery, Ticket& ticket) {
  { const storage::Delivery gone = std::move(delivery); }
  ticket.release_octets();
}

std::uint64_t octets_of(const storage::Delivery& delivery) {
  std::uint64_t octets = delivery.message.text.size() + delivery.message.envelope.size();
  for (const auto& field : delivery.message.headers) octets += field.value.size();
  return octets;
}

}  // namespace lmtpd::delivery
