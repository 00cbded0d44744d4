// storage/sqlite/catalog.h: what the file holds, for the schema check. One thread.
#pragma once

#include "storage/schema/schema.h"
#include "storage/sqlite/session.h"

namespace storage::sqlite {

[[nodiscard]] schema::Catalog read_catalog(Session& session);

// Fills report: server, problems, remarks.
void check_schema(Session& session, SchemaReport& report);

// The same for a file that does not exist yet, without creating it.
void check_missing_file(const Options& options, SchemaReport& report);

}  // namespace storage::sqlite
