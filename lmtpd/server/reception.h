// lmtpd/server/reception.h: one message while it arrives. Comes in: its octets after dot-unstuffing or out of BDAT
// chunks. Goes out: a storage::Message, or the reason why all recipients are refused. Holds the memory budget for it.
// One session, its I/O thread.
#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lmtpd/delivery/pipeline.h"
#include "lmtpd/mime/decomposer.h"
#include "lmtpd/server/options.h"
#include "storage/message.h"
#include "storage/status.h"

namespace lmtpd::server {

class Reception {
 public:
  // sender: as given in MAIL. options, pipeline and limits outlive it (limits by sharing).
  Reception(delivery::Pipeline& pipeline, const mime::Options& options, std::shared_ptr<const Limits> limits,
            std::string_view sender);

  // Before 354: memory for the announced size, or for a first slice. False: answer busy. limit: octets that a message
  // may have.
  [[nodiscard]] boost::asio::awaitable<bool> reserve(std::optional<std::uint64_t> announced, std::uint64_t limit);

  // True: the budget must grow before that many octets more may be fed.
  [[nodiscard]] bool needs_room(std::size_t octets) const;
  // Waits until memory for `octets` more is there; after the budget's patience the message is refused as busy. Nobody
  // reads from the client meanwhile: that is the back-pressure.
  [[nodiscard]] boost::asio::awaitable<void> make_room(std::size_t octets);

  // Takes the octets, or drops them once the message is refused. Never throws: a failure of ours refuses the message.
  void feed(std::string_view octets);

  // The message will not be stored, whatever else arrives; frees its memory now. The first reason stays.
  void refuse(storage::Reason reason);
  [[nodiscard]] storage::Reason refusal() const { return refusal_; }  // ok: none so far

  // The end of data. ok: `message` is complete, and take_memory() has what it holds.
  [[nodiscard]] storage::Reason finish(storage::Message& message);
  [[nodiscard]] delivery::Reservation take_memory() { return std::move(memory_); }
  [[nodiscard]] std::uint64_t octets() const { return octets_; }

 private:
  [[nodiscard]] storage::Reason policy(const storage::MessageFacts& facts) const;

  delivery::Pipeline& pipeline_;
  const std::shared_ptr<const Limits> limits_;
  mime::Options options_;
  std::optional<mime::Decomposer> decomposer_;
  delivery::Reservation memory_;
  std::uint64_t octets_ = 0;
  storage::Reason refusal_ = storage::Reason::ok;
};

}  // namespace lmtpd::server
