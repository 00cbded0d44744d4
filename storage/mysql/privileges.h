// storage/mysql/privileges.h: what the account may do in its database, for the schema check. One thread.
#pragma once

#include "storage/driver.h"
#include "storage/mysql/session.h"

namespace storage::mysql {

// Adds a problem with its GRANT when the account lacks SELECT, INSERT, UPDATE or DELETE on the database. Privileges that come table by
// table or through a role are not judged: a remark says so.
void check_privileges(Session& session, SchemaReport& report);

}  // namespace storage::mysql
