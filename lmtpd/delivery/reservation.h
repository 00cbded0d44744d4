// lmtpd/delivery/reservation.h: the right to hold octets of mail in memory, given by Budget.
#pragma once

#include <cstdint>
#include <utility>

namespace lmtpd::delivery {

// Octets of mail that a session may hold; released when it is destroyed. Move-only.
class Reservation {
 public:
  Reservation() = default;
  Reservation(class Budget* budget, std::uint64_t octets) : budget_(budget), octets_(octets) {}
  Reservation(Reservation&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), octets_(std::exchange(other.octets_, 0)) {}
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  [[nodiscard]] std::uint64_t octets() const { return octets_; }
  void release();

 private:
  friend class Budget;
  Budget* budget_ = nullptr;
  std::uint64_t octets_ = 0;
};

}  // namespace lmtpd::delivery
