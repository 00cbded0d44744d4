// lmtpd/mime/options.h: how messages are cut into rows, and the limits of that. No limit ever refuses mail: beyond it
// the message is stored in the two-row layout, or a header stays out of the cache. Filled at start, read-only
// afterwards.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lmtpd::mime {

// Digest of parts and header values. Part of the store's format: all writers of one store use the same (DBMail:
// hash_algorithm).
enum class HashAlgorithm : std::uint8_t { md5, sha1, sha256, sha512 };

// NUL octets cannot be read back by DBMail. replace: each becomes 0x80; keep: stored as they are. Refusing such mail is
// the session's business, which asks MessageFacts::nul_bytes.
enum class NulPolicy : std::uint8_t { replace, keep };

struct Options {
  HashAlgorithm hash = HashAlgorithm::sha1;
  NulPolicy nul = NulPolicy::replace;
  int max_depth = 64;    // nested multiparts and messages; DBMail's readers stop at 64
  int max_parts = 1000;  // parts of one message; at the most 16,000 (partlists numbers are smallint on MySQL)
  std::size_t max_header_fields = 1000;  // top-level fields looked at for cache, references and envelope
  std::size_t max_header_octets =
      128u << 10;                        // octets of fields decoded for one message; the rest stays out of the cache
  std::size_t max_value_octets = 65535;  // octets of one field that are decoded; also the limit of what comes out
  std::size_t max_references = 1000;     // rows of referencesfield
};

}  // namespace lmtpd::mime
