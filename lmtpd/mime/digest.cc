#include "lmtpd/mime/digest.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace lmtpd::mime {
namespace {

// Fetched once: an implicit fetch at every start costs more than hashing a short header.
const EVP_MD* fetched(HashAlgorithm algorithm) {
  static const std::array<EVP_MD*, 4> table = {
      EVP_MD_fetch(nullptr, "MD5", nullptr), EVP_MD_fetch(nullptr, "SHA1", nullptr),
      EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MD_fetch(nullptr, "SHA512", nullptr)};
  return table[static_cast<std::size_t>(algorithm)];
}

DigestContext new_context(HashAlgorithm algorithm) {
  DigestContext context(EVP_MD_CTX_new());
  // The algorithms are there since start: only memory can be missing.
  if (!context || EVP_DigestInit_ex2(context.get(), fetched(algorithm), nullptr) != 1) throw std::bad_alloc();
  return context;
}

}  // namespace

void FreeDigestContext::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Digest::Digest(HashAlgorithm algorithm) : context_(new_context(algorithm)) {}

void Digest::update(std::string_view octets) {
  EVP_DigestUpdate(context_.get(), octets.data(), octets.size());
}

void Digest::restart() {
  EVP_DigestInit_ex2(context_.get(), nullptr, nullptr);
}

std::string Digest::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), raw.data(), &size);
  restart();
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(2 * std::size_t{size}, '0');
  for (std::size_t i = 0; i < size; ++i) {
    text[2 * i] = digits[raw[i] >> 4];
    text[2 * i + 1] = digits[raw[i] & 15];
  }
  return text;
}

std::string Digest::hex_of(std::string_view octets) {
  restart();
  update(octets);
  return hex();
}

ContentDigest::ContentDigest() : context_(new_context(HashAlgorithm::sha256)) {}

void ContentDigest::update(std::string_view octets) {
  EVP_DigestUpdate(context_.get(), octets.data(), octets.size());
}

storage::Digest ContentDigest::finish() {
  storage::Digest digest{};
  EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
  return digest;
}

}  // namespace lmtpd::mime
