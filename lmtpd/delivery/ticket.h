// lmtpd/delivery/ticket.h: the claim to one outcome that travels beside a delivery, from the session to the queue and a
// lane. It is answered exactly once, whatever happens: a ticket that is destroyed unanswered answers `internal`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lmtpd/delivery/completion.h"
#include "lmtpd/delivery/outcome.h"
#include "lmtpd/delivery/reservation.h"
#include "storage/clock.h"
#include "storage/delivery.h"

namespace lmtpd::delivery {

// Move-only; moved by one thread at a time. answer() may be called by several at once: the first one counts.
class Ticket {
 public:
  Ticket(std::unique_ptr<Completion<Outcome>> completion, std::size_t targets, Reservation held)
      : completion_(completion.release()), targets_(targets), held_(std::move(held)) {}
  Ticket(Ticket&& other) noexcept;
  Ticket& operator=(Ticket&&) = delete;
  ~Ticket();

  // False when it has been answered already.
  bool answer(Outcome outcome) noexcept;
  // The same status for every target.
  bool answer(const storage::Status& status) noexcept;

  // The message is freed: its octets may be used by others.
  void release_octets() { held_.release(); }

  storage::Instant arrived{};  // set by Queue::push

 private:
  std::atomic<Completion<Outcome>*> completion_;  // owned; null once answered
  std::size_t targets_;
  Reservation held_;
};

// What a lane takes at once: deliveries side by side, as Connection::store wants them, and the ticket of each.
class Batch {
 public:
  [[nodiscard]] bool empty() const { return deliveries.empty(); }

  std::vector<storage::Delivery> deliveries;
  std::vector<Ticket> tickets;
  storage::Instant taken{};
  bool huge = false;  // one large message, alone
};

// Gives the message's memory back, then its octets to others.
void free_message(storage::Delivery& delivery, Ticket& ticket);

// Octets that a delivery brings to a transaction and holds in memory.
[[nodiscard]] std::uint64_t octets_of(const storage::Delivery& delivery);

}  // namespace lmtpd::delivery
