#include "storage/postgresql/arguments.h"

#include <bit>

namespace storage::postgresql {

Arguments& Arguments::add(std::int64_t value) {
  append_int64(values_.emplace_back(), std::bit_cast<std::uint64_t>(value));
  return *this;
}

Arguments& Arguments::add(std::string_view value) {
  values_.emplace_back(value);
  return *this;
}

Arguments& Arguments::add(BinaryArray array) {
  values_.push_back(array.take_image());
  return *this;
}

}  // namespace storage::postgresql
