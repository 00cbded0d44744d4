// storage/mysql/multi_row.h: how many rows one prepared statement takes. Pure. A batch's rows go in ONE statement per
// table unless they exceed the server's packet or the 65,535 placeholders that the protocol has.
//
// Questions (IN lists) are padded with their last key to a power of two, so a connection knows at most 13 shapes of
// each. INSERTs have exactly as many rows as needed: splitting into powers of two costs a round trip per piece and
// measured slower from 7 rows on with MariaDB 10.11 and MySQL 9.7, although a row count not seen yet costs one more
// round trip to prepare it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/mysql/value.h"

namespace storage::mysql {

// The smallest power of two that is not below rows. REQUIRES rows > 0.
[[nodiscard]] std::size_t padded(std::size_t rows);

// Repeats the last row of values until there are `rows` of them. REQUIRES values to hold at least one row of `columns`
// values.
void pad(std::vector<Value>& values, std::size_t columns, std::size_t rows);

// How many of the rows at the front of values fit into one statement of at most octets; at least one, however large.
[[nodiscard]] std::size_t rows_that_fit(std::span<const Value> values, std::size_t columns, std::size_t octets);

// The ids of `rows` rows that one INSERT … VALUES made, of which the server told the first (DECISIONS.md 30).
void add_ids(std::int64_t first, std::size_t rows, std::int64_t increment, std::vector<std::int64_t>& ids);

}  // namespace storage::mysql
