// storage/postgresql/driver.h: the factory for PostgreSQL 12 and later (tested with 15). Thread-safe; opens nothing by
// itself.
//
// URI: postgresql://user:password@host:port/database?sslmode=verify-full&sslrootcert=/path, or
// postgresql:///database?host=/socket/dir. The tables are found through the role's search_path.
#pragma once

#include <memory>

#include "storage/driver.h"

namespace storage::postgresql {

// Throws std::invalid_argument for a URI that cannot be used.
[[nodiscard]] std::unique_ptr<storage::Driver> make_driver(const Options& options);

}  // namespace storage::postgresql
