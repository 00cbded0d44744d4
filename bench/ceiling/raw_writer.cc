#include "bench/ceiling/raw_writer.h"

#include <stdexcept>

#include "storage/uri.h"

namespace bench::ceiling {

std::unique_ptr<RawWriter> make_raw_writer(const storage::Options& options) {
  const std::string scheme = storage::uri_scheme(options.uri);
#ifdef LMTPD_HAS_POSTGRESQL
  if (scheme == "postgresql") return make_postgresql_writer(options);
#endif
#ifdef LMTPD_HAS_MYSQL
  if (scheme == "mysql") return make_mysql_writer(options);
#endif
#ifdef LMTPD_HAS_SQLITE
  if (scheme == "sqlite") return make_sqlite_writer(options);
#endif
  throw std::invalid_argument("no raw writer for '" + scheme + "' in this build");
}

}  // namespace bench::ceiling
