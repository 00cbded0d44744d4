// storage/postgresql/catalog.h: what the database holds, read from pg_catalog in a few queries and compared with what
// lmtpd needs (storage/schema/schema.h). Reads only. Throws Error.
#pragma once

#include "storage/driver.h"
#include "storage/postgresql/session.h"
#include "storage/schema/schema.h"

namespace storage::postgresql {

[[nodiscard]] schema::Catalog read_catalog(Session& session);

// Fills report.server too.
void check_schema(Session& session, SchemaReport& report);

}  // namespace storage::postgresql
