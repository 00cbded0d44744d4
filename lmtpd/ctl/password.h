// lmtpd/ctl/password.h: passwords in the forms that DBMail's daemons accept. The clear text is never written anywhere else.
#pragma once

#include <string>
#include <string_view>

namespace lmtpd::ctl {

struct StoredPassword {
  std::string passwd;
  std::string encryption_type;
};

// scheme: "crypt" (crypt(3) with SHA-512, salted: the default), "sha512" (hex digest, unsalted: only for stores that need it),
// "none" (kept as given). Throws Refused for another scheme, an empty password, or one with control characters.
[[nodiscard]] StoredPassword hash_password(std::string_view clear, std::string_view scheme);

// What a user without a password gets: nothing that one could type matches it.
[[nodiscard]] StoredPassword no_login();

}  // namespace lmtpd::ctl
