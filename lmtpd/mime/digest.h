// lmtpd/mime/digest.h: message digests that take their input in pieces. libcrypto; each object belongs to one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lmtpd/mime/options.h"
#include "storage/message.h"

struct evp_md_ctx_st;

namespace lmtpd::mime {

struct FreeDigestContext {
  void operator()(evp_md_ctx_st* context) const;
};
using DigestContext = std::unique_ptr<evp_md_ctx_st, FreeDigestContext>;

// Digest of a blob or header value, as lower-case hex. Starts afresh after hex().
class Digest {
 public:
  explicit Digest(HashAlgorithm algorithm);
  void update(std::string_view octets);
  void restart();
  [[nodiscard]] std::string hex();
  [[nodiscard]] std::string hex_of(std::string_view octets);

 private:
  DigestContext context_;
};

// SHA-256 of everything received.
class ContentDigest {
 public:
  ContentDigest();
  void update(std::string_view octets);
  [[nodiscard]] storage::Digest finish();

 private:
  DigestContext context_;
};

}  // namespace lmtpd::mime
