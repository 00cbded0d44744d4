#include "storage/registry.h"

#include <algorithm>
#include <stdexcept>

#include "storage/uri.h"
#ifdef LMTPD_HAS_SQLITE
#include "storage/sqlite/driver.h"
#endif
#ifdef LMTPD_HAS_POSTGRESQL
#include "storage/postgresql/driver.h"
#endif
#ifdef LMTPD_HAS_MYSQL
#include "storage/mysql/driver.h"
#endif

namespace storage {
namespace {

struct Engine {
  std::string_view scheme;
  std::unique_ptr<Driver> (*make)(const Options&);
};

// A new engine is one line here.
const std::vector<Engine>& table() {
  static const std::vector<Engine> engines = {
#ifdef LMTPD_HAS_SQLITE
      {"sqlite", sqlite::make_driver},
#endif
#ifdef LMTPD_HAS_POSTGRESQL
      {"postgresql", postgresql::make_driver},
#endif
#ifdef LMTPD_HAS_MYSQL
      {"mysql", mysql::make_driver},
#endif
  };
  return engines;
}

void check_prefix(const std::string& prefix) {
  const bool good = std::all_of(prefix.begin(), prefix.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!good || prefix.size() > 32) {
    throw std::invalid_argument("storage.table_prefix \"" + prefix +
                                "\": at most 32 letters, digits and underscores, for example dbmail_");
  }
}

[[noreturn]] void refuse_scheme(const std::string& scheme) {
  std::vector<std::string_view> known;
  std::string list;
  for (const Engine& engine : table()) {
    known.push_back(engine.scheme);
    list += (list.empty() ? "" : ", ") + std::string(engine.scheme);
  }
  const std::string guess = nearest(scheme, known);
  throw std::invalid_argument("storage.uri: unknown engine \"" + scheme + "\"; this build knows: " + list +
                              (guess.empty() ? "" : "; did you mean \"" + guess + "\"?"));
}

}  // namespace

std::vector<std::string> engines() {
  std::vector<std::string> schemes;
  for (const Engine& engine : table()) schemes.emplace_back(engine.scheme);
  return schemes;
}

std::unique_ptr<Driver> make_driver(const Options& options) {
  check_prefix(options.table_prefix);
  const Uri uri = parse_uri(options.uri);
  for (const Engine& engine : table()) {
    if (engine.scheme == uri.scheme) return engine.make(options);
  }
  refuse_scheme(uri.scheme);
}

}  // namespace storage
