// lmtpd/mime/decomposer.h: received octets → storage::Message, in one pass, as they arrive. Pure: no socket, clock,
// thread or log.
//
// In:  the message after dot-unstuffing, in chunks of any size; where they are cut never changes the result.
// Out: rows, header cache, references and envelope as schema/README.md describes them, in the part layout if DBMail's
// readers
//      reassemble it to exactly the received text, else in the two-row layout. Every input has a result, the empty one
//      too.
// Memory: the text once (twice for the moment in which the first irregular line end turns it back to CRLF form), and
// rows within the limits of Options.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lmtpd/mime/options.h"
#include "storage/message.h"

namespace lmtpd::mime {

// One message. Used by one thread at a time (it may move between threads between calls); not reusable after finish().
class Decomposer {
 public:
  // sender: exactly as given in MAIL, without brackets, empty for <>; becomes the Return-Path line, the only header
  // added. internal_date: time of arrival, "YYYY-MM-DD HH:MM:SS", UTC. options must outlive the Decomposer.
  Decomposer(const Options& options, std::string_view sender, std::string_view internal_date);
  ~Decomposer();
  Decomposer(Decomposer&&) noexcept;
  Decomposer& operator=(Decomposer&&) noexcept;

  // A hint (SIZE= of MAIL, BDAT): room for that many octets is set aside, within reason.
  void expect(std::uint64_t octets);

  // The next octets. Costs no more than O(chunk) plus a few header lines. Throws only std::bad_alloc.
  void feed(std::string_view chunk);

  // Octets fed so far, and how many of them were NUL.
  [[nodiscard]] std::uint64_t octets() const;
  [[nodiscard]] std::uint64_t nul_octets() const;

  // The end of the message. Call once. Throws only std::bad_alloc.
  [[nodiscard]] storage::Message finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lmtpd::mime
