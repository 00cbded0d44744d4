#include "lmtpd/server/reception.h"

#include <algorithm>
#include <ctime>
#include <exception>

namespace lmtpd::server {
namespace {

using storage::Reason;

constexpr std::uint64_t first_slice = 64 * 1024;
constexpr std::uint64_t slice = 256 * 1024;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return std::string(text, length);
}

mime::Options with_policy(mime::Options options, NulBytes nul_bytes) {
  options.nul = nul_bytes == NulBytes::keep ? mime::NulPolicy::keep : mime::NulPolicy::replace;
  return options;
}

}  // namespace

Reception::Reception(delivery::Pipeline& pipeline, const mime::Options& options, std::shared_ptr<const Limits> limits,
                     std::string_view sender)
    : pipeline_(pipeline), limits_(std::move(limits)), options_(with_policy(options, limits_->nul_bytes)) {
  decomposer_.emplace(options_, sender, utc_now());
}

boost::asio::awaitable<bool> Reception::reserve(std::optional<std::uint64_t> announced, std::uint64_t limit) {
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(announced.value_or(first_slice), 1, std::max<std::uint64_t>(limit, 1));
  const bool reserved = co_await pipeline_.reserve(memory_, wanted);
  if (reserved && announced) decomposer_->expect(wanted);
  co_return reserved;
}

bool Reception::needs_room(std::size_t octets) const {
  return refusal_ == Reason::ok && octets_ + octets > memory_.octets();
}

boost::asio::awaitable<void> Reception::make_room(std::size_t octets) {
  const std::uint64_t missing = octets_ + octets - memory_.octets();
  const bool reserved = co_await pipeline_.reserve(memory_, std::max(missing, slice));
  if (!reserved) refuse(Reason::busy);
}

void Reception::feed(std::string_view octets) {
  octets_ += octets.size();
  if (refusal_ != Reason::ok) return;
  try {
    decomposer_->feed(octets);
  } catch (const std::exception&) {
    refuse(Reason::internal);
  }
}

void Reception::refuse(Reason reason) {
  if (refusal_ == Reason::ok) refusal_ = reason;
  decomposer_.reset();
  memory_ = delivery::Reservation();
}

Reason Reception::policy(const storage::MessageFacts& facts) const {
  if (facts.received_headers > limits_->received_headers) return Reason::too_many_hops;
  if (facts.bare_line_ends > 0 && limits_->bare_line_ends == BareLineEnds::reject) return Reason::bare_line_end;
  if (facts.nul_bytes > 0 && limits_->nul_bytes == NulBytes::reject) return Reason::nul_byte;
  return Reason::ok;
}

Reason Reception::finish(storage::Message& message) {
  if (refusal_ != Reason::ok) return refusal_;
  try {
    message = decomposer_->finish();
  } catch (const std::exception&) {
    refuse(Reason::internal);
    return refusal_;
  }
  decomposer_.reset();
  if (const Reason refused = policy(message.facts); refused != Reason::ok) refuse(refused);
  return refusal_;
}

}  // namespace lmtpd::server
