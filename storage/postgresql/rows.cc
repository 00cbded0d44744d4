#include "storage/postgresql/rows.h"

#include <bit>
#include <charconv>
#include <stdexcept>

namespace storage::postgresql {

std::int64_t Rows::int8(int row, int column) const {
  const std::string_view value = octets(row, column);
  if (value.size() != sizeof(std::int64_t)) throw std::logic_error("a column is not an int8");
  std::uint64_t number = 0;
  for (const char octet : value) number = (number << 8) | static_cast<unsigned char>(octet);
  return std::bit_cast<std::int64_t>(number);
}

std::string_view Rows::octets(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::uint64_t Rows::affected() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace storage::postgresql
