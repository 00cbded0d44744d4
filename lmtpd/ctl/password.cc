#include "lmtpd/ctl/password.h"

#include <crypt.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>

#include "lmtpd/ctl/session.h"

namespace lmtpd::ctl {
namespace {

std::string crypt_sha512(const std::string& clear) {
  const auto state = std::make_unique<crypt_data>();
  std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> salt{};
  if (crypt_gensalt_rn("$6$", 0, nullptr, 0, salt.data(), static_cast<int>(salt.size())) == nullptr) {
    throw Refused("the system's crypt library cannot make a SHA-512 salt");
  }
  const char* hashed = crypt_rn(clear.c_str(), salt.data(), state.get(), sizeof(crypt_data));
  if (hashed == nullptr || *hashed == '*') throw Refused("the system's crypt library cannot hash with SHA-512");
  return hashed;
}

std::string sha512_hex(std::string_view clear) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(clear.data(), clear.size(), digest.data(), &size, EVP_sha512(), nullptr) != 1) {
    throw Refused("SHA-512 is not available");
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += digits[digest[i] >> 4];
    out += digits[digest[i] & 15];
  }
  return out;
}

}  // namespace

StoredPassword hash_password(std::string_view clear, std::string_view scheme) {
  const bool control = std::any_of(clear.begin(), clear.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (clear.empty()) throw Refused("the password on standard input is empty", exit_usage);
  if (control) throw Refused("the password holds control characters", exit_usage);
  if (scheme == "crypt") return {crypt_sha512(std::string(clear)), "crypt"};
  if (scheme == "sha512") return {sha512_hex(clear), "sha512"};
  if (scheme == "none") return {std::string(clear), ""};
  throw Refused("unknown password scheme '" + std::string(scheme) + "'; use crypt, sha512 or none", exit_usage);
}

// An empty field of type md5 matches no digest; DBMail's own internal users are stored so.
StoredPassword no_login() { return {"", "md5"}; }

}  // namespace lmtpd::ctl
