// The bytes that are digested, in order: "lmtpd1", NUL, sender, NUL, mailbox_idnr in decimal digits, NUL, the 32 raw octets of the
// content digest, and, when there is a salt, NUL and the salt. No sender holds a NUL, so the fields cannot run into each other.
#include <openssl/evp.h>

#include <memory>
#include <new>

#include "storage/delivery.h"

namespace storage {
namespace {

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

void add(EVP_MD_CTX* context, std::string_view text) {
  if (EVP_DigestUpdate(context, text.data(), text.size()) != 1) throw std::bad_alloc();
}

}  // namespace

std::string unique_id(std::string_view sender, MailboxId mailbox, const Digest& content, std::string_view salt) {
  constexpr std::string_view nul("\0", 1);
  const DigestContext context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  // Fetched once: an implicit fetch at every start costs more than hashing these few octets.
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (!context || EVP_DigestInit_ex2(context.get(), sha256, nullptr) != 1) throw std::bad_alloc();
  add(context.get(), "lmtpd1");
  add(context.get(), nul);
  add(context.get(), sender);
  add(context.get(), nul);
  add(context.get(), std::to_string(mailbox));
  add(context.get(), nul);
  add(context.get(), std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
  if (!salt.empty()) {
    add(context.get(), nul);
    add(context.get(), salt);
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  if (EVP_DigestFinal_ex(context.get(), digest, nullptr) != 1) throw std::bad_alloc();

  constexpr char digits[] = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 16; ++i) {
    id += digits[digest[i] >> 4];
    id += digits[digest[i] & 15];
  }
  return id;
}

}  // namespace storage
