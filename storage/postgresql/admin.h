// storage/postgresql/admin.h: the second door (storage/admin.h) on a connection of its own.
#pragma once

#include <memory>

#include "storage/admin.h"
#include "storage/options.h"

namespace storage::postgresql {

// Connects; throws as Session does.
[[nodiscard]] std::unique_ptr<storage::Admin> make_admin(const Options& options);

}  // namespace storage::postgresql
