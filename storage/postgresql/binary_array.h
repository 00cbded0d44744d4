// storage/postgresql/binary_array.h: PostgreSQL's binary image of a one-dimensional array, the parameter of
// `unnest($1::bytea[])`: a whole batch travels in one statement, octets as they are, no escaping, no cut at NUL.
// Format: int32 dimensions, int32 has-nulls, int32 element type, int32 length, int32 lower bound, then per element
// int32 octets
// (-1: NULL) and the octets; big-endian (PostgreSQL: src/backend/utils/adt/arrayfuncs.c, array_recv). Plain value, any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace storage::postgresql {

// Type oids of pg_type.dat; fixed by PostgreSQL for ever.
enum class Element : std::uint32_t { bytea = 17, int8 = 20, text = 25, bpchar = 1042 };

class BinaryArray {
 public:
  explicit BinaryArray(Element element);

  void add(std::int64_t value);      // REQUIRES Element::int8
  void add(std::string_view value);  // REQUIRES another element; copies the octets
  void add_null();
  void reserve(std::size_t octets) { image_.reserve(image_.size() + octets); }

  // The finished image; the array is empty afterwards. Throws std::length_error beyond PostgreSQL's limit for one
  // value.
  [[nodiscard]] std::string take_image();

 private:
  Element element_;
  std::uint32_t length_ = 0;
  bool has_nulls_ = false;
  std::string image_;
};

void append_int32(std::string& out, std::uint32_t value);  // big-endian, as everywhere in the protocol
void append_int64(std::string& out, std::uint64_t value);

// Arrays of one column of a range of rows: projection(row) gives the element.
template <typename Range, typename Projection = std::identity>
[[nodiscard]] BinaryArray int8_array(const Range& rows, Projection projection = {}) {
  BinaryArray array(Element::int8);
  array.reserve(rows.size() * 12);
  for (const auto& row : rows) array.add(static_cast<std::int64_t>(std::invoke(projection, row)));
  return array;
}
template <typename Range, typename Projection = std::identity>
[[nodiscard]] BinaryArray octets_array(Element element, const Range& rows, Projection projection = {}) {
  std::size_t octets = 0;
  for (const auto& row : rows) octets += 4 + std::string_view(std::invoke(projection, row)).size();
  BinaryArray array(element);
  array.reserve(octets);
  for (const auto& row : rows) array.add(std::string_view(std::invoke(projection, row)));
  return array;
}
template <typename Range, typename Projection = std::identity>
[[nodiscard]] BinaryArray text_array(const Range& rows, Projection projection = {}) {
  return octets_array(Element::text, rows, projection);
}

}  // namespace storage::postgresql
