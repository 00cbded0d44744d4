#include "storage/mysql/multi_row.h"

#include <algorithm>
#include <bit>

namespace storage::mysql {
namespace {

constexpr std::size_t max_placeholders = 65535;

}  // namespace

std::size_t padded(std::size_t rows) {
  return std::bit_ceil(rows);
}

void pad(std::vector<Value>& values, std::size_t columns, std::size_t rows) {
  values.reserve(rows * columns);
  while (values.size() < rows * columns) values.push_back(values[values.size() - columns]);
}

std::size_t rows_that_fit(std::span<const Value> values, std::size_t columns, std::size_t octets) {
  const std::size_t most = std::min(values.size() / columns, max_placeholders / columns);
  std::size_t sum = 0;
  for (std::size_t row = 0; row < most; ++row) {
    for (const Value& value : values.subspan(row * columns, columns)) sum += wire_size(value);
    if (sum > octets && row > 0) return row;
  }
  return most;
}

void add_ids(std::int64_t first, std::size_t rows, std::int64_t increment, std::vector<std::int64_t>& ids) {
  for (std::size_t i = 0; i < rows; ++i) ids.push_back(first + static_cast<std::int64_t>(i) * increment);
}

}  // namespace storage::mysql
