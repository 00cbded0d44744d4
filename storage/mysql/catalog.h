// storage/mysql/catalog.h: what the server's system tables say, compared with what lmtpd needs
// (storage/schema/schema.h), and the settings of this engine that decide whether a 250 is true. Reads only. Throws what
// the session throws.
#pragma once

#include <cstddef>

#include "storage/driver.h"
#include "storage/mysql/session.h"

namespace storage::mysql {

[[nodiscard]] SchemaReport check_catalog(Session& session);

// Tables with the prefix that exist already; lmtpctl refuses to create a schema beside them.
[[nodiscard]] std::size_t count_tables(Session& session);

}  // namespace storage::mysql
