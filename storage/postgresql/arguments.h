// storage/postgresql/arguments.h: the bound values of one statement, all in binary form with explicit lengths (libpqxx
// would cut a std::string at its first NUL). The SQL text casts each placeholder, so the server knows the types. Plain
// value, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgresql/binary_array.h"

namespace storage::postgresql {

class Arguments {
 public:
  Arguments& add(std::int64_t value);      // $n::int8
  Arguments& add(std::string_view value);  // $n::text, $n::bytea
  Arguments& add(BinaryArray array);       // $n::int8[], …

  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

}  // namespace storage::postgresql
