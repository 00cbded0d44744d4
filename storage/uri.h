// storage/uri.h: Options::uri taken apart, once for all engines. scheme://[user[:password]@][host[:port]]/path[?name=value&…], each
// component percent-decoded. A unix socket is a host that begins with a slash (percent-encoded, as libpq writes it) or the engine's
// query parameter ("host" for PostgreSQL, "socket" for MySQL). Pure. Faults throw std::invalid_argument with a sentence for the
// operator; it never holds the password.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "storage/options.h"

namespace storage {

struct Uri {
  std::string scheme;  // lower case
  std::string user;
  std::string password;
  std::string host;         // without the brackets of an IPv6 address; empty: the engine's default
  std::uint16_t port = 0;   // 0: not given
  std::string path;         // with its leading slash: "/var/lib/lmtpd/store.db", "/database"; may be empty
  std::map<std::string, std::string, std::less<>> parameters;

  [[nodiscard]] std::string_view database() const { return std::string_view(path).substr(path.empty() ? 0 : 1); }
  // nullopt: not given.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
};

// The text before ':', lower case; empty when there is none.
[[nodiscard]] std::string uri_scheme(std::string_view uri);

[[nodiscard]] Uri parse_uri(std::string_view text);

// Throws for the first parameter that is not known, naming the nearest known one.
void require_known_parameters(const Uri& uri, std::initializer_list<std::string_view> known);

// The password to connect with: the first line of options.password_file when set (unreadable: throws), else uri.password.
[[nodiscard]] std::string password_for(const Options& options, const Uri& uri);

// The candidate nearest to word by edit distance; empty when none is close (more than a third of word's letters differ).
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace storage
