#include "lmtpd/mime/decomposer.h"

#include <algorithm>
#include <utility>

#include "lmtpd/mime/digest.h"
#include "lmtpd/mime/header_cache.h"
#include "lmtpd/mime/header_text.h"
#include "lmtpd/mime/layout.h"
#include "lmtpd/mime/splitter.h"
#include "lmtpd/mime/text_buffer.h"

namespace lmtpd::mime {
namespace {

constexpr std::uint64_t largest_reserve = 4u << 20;  // what a client announces is not yet there
constexpr std::uint64_t room_for_return_path = 1024;

// One line whatever the sender is; the protocol lets no such octets through.
std::string return_path_line(std::string_view sender) {
  std::string line = "Return-Path: ";
  for (const char c : sender) line += c == '\r' || c == '\n' || c == '\0' ? '?' : c;
  return line += '\n';
}

}  // namespace

class Decomposer::Impl {
 public:
  Impl(const Options& options, std::string_view sender, std::string_view internal_date)
      : options_(options),
        sender_(sender),
        return_path_(return_path_line(sender)),
        splitter_(options, text_, return_path_.size()) {
    initialise_gmime();
    message_.internal_date = internal_date;
    text_.begin(return_path_);
  }

  void expect(std::uint64_t octets) {
    text_.reserve(static_cast<std::size_t>(std::min(octets, largest_reserve) + room_for_return_path));
  }

  void feed(std::string_view chunk) {
    content_.update(chunk);
    octets_ += chunk.size();
    crs_ += static_cast<std::uint64_t>(std::count(chunk.begin(), chunk.end(), '\r'));
    if (chunk.find('\0') == std::string_view::npos) {
      text_.append(chunk, splitter_);
    } else {
      feed_nuls(chunk);
    }
    splitter_.hash_so_far();
  }

  storage::Message finish() {
    text_.finish(splitter_);
    splitter_.finish();
    const std::size_t return_path = text_.text().find('\n') + 1;
    message_.message_size = std::max<std::uint64_t>(octets_, 1);
    message_.rfc_size = message_.message_size + return_path_.size() + 1;
    message_.content_digest = content_.finish();
    message_.facts.nul_bytes = nuls_;
    message_.facts.bare_line_ends = text_.bare_lfs() + (crs_ - (text_.lines() - text_.bare_lfs()));
    message_.text = text_.take();
    if (message_.text.capacity() > 2 * message_.text.size() + room_for_return_path) message_.text.shrink_to_fit();
    choose_layout(std::move(splitter_.parts()), splitter_.top(), options_, message_);
    const std::string_view header = std::string_view(message_.text).substr(0, splitter_.top().end);
    read_headers(header.substr(return_path), sender_, options_, message_);
    return std::move(message_);
  }

  std::uint64_t octets_ = 0;
  std::uint64_t nuls_ = 0;

 private:
  void feed_nuls(std::string_view chunk) {
    std::string octets(chunk);
    nuls_ += static_cast<std::uint64_t>(std::count(octets.begin(), octets.end(), '\0'));
    if (options_.nul == NulPolicy::replace) std::replace(octets.begin(), octets.end(), '\0', '\x80');
    text_.append(octets, splitter_);
  }

  const Options& options_;
  std::string sender_;
  std::string return_path_;  // with LF
  TextBuffer text_;
  Splitter splitter_;
  ContentDigest content_;
  std::uint64_t crs_ = 0;
  storage::Message message_;
};

Decomposer::Decomposer(const Options& options, std::string_view sender, std::string_view internal_date)
    : impl_(std::make_unique<Impl>(options, sender, internal_date)) {}
Decomposer::~Decomposer() = default;
Decomposer::Decomposer(Decomposer&&) noexcept = default;
Decomposer& Decomposer::operator=(Decomposer&&) noexcept = default;

void Decomposer::expect(std::uint64_t octets) {
  impl_->expect(octets);
}
void Decomposer::feed(std::string_view chunk) {
  impl_->feed(chunk);
}
std::uint64_t Decomposer::octets() const {
  return impl_->octets_;
}
std::uint64_t Decomposer::nul_octets() const {
  return impl_->nuls_;
}
storage::Message Decomposer::finish() {
  return impl_->finish();
}

}  // namespace lmtpd::mime
