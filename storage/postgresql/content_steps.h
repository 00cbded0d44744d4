// storage/postgresql/content_steps.h: a batch's content as the statements that insert it, one per table with rows.
// Pure.
#pragma once

#include <vector>

#include "storage/batch/tables.h"
#include "storage/postgresql/session.h"

namespace storage::postgresql {

// Appends them; what references other rows comes after these.
void add_content(const batch::Content& content, const batch::ContentIds& ids, std::vector<Session::Step>& steps);

}  // namespace storage::postgresql
