// storage/batch/row_id.h: the number of a row in the store.
#pragma once

#include <cstdint>

namespace storage::batch {

using RowId = std::int64_t;  // 0: none

}  // namespace storage::batch
