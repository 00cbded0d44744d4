#include "storage/postgresql/binary_array.h"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace storage::postgresql {
namespace {

constexpr std::size_t header_octets = 20;
constexpr std::size_t empty_header_octets = 12;                 // no dimension, so neither length nor lower bound
constexpr std::size_t max_octets = (std::size_t{1} << 30) - 1;  // MaxAllocSize

}  // namespace

void append_int32(std::string& out, std::uint32_t value) {
  char octets[4];
  for (int i = 0; i < 4; ++i) octets[i] = static_cast<char>((value >> (24 - 8 * i)) & 0xFFu);
  out.append(octets, sizeof octets);
}

void append_int64(std::string& out, std::uint64_t value) {
  append_int32(out, static_cast<std::uint32_t>(value >> 32));
  append_int32(out, static_cast<std::uint32_t>(value & 0xFFFFFFFFu));
}

BinaryArray::BinaryArray(Element element) : element_(element), image_(header_octets, '\0') {}

void BinaryArray::add(std::int64_t value) {
  append_int32(image_, sizeof value);
  append_int64(image_, std::bit_cast<std::uint64_t>(value));
  ++length_;
}

void BinaryArray::add(std::string_view value) {
  if (value.size() > max_octets) throw std::length_error("a value exceeds PostgreSQL's limit of 1 GB");
  append_int32(image_, static_cast<std::uint32_t>(value.size()));
  image_.append(value);
  ++length_;
}

void BinaryArray::add_null() {
  append_int32(image_, 0xFFFFFFFFu);
  has_nulls_ = true;
  ++length_;
}

std::string BinaryArray::take_image() {
  if (image_.size() > max_octets)
    throw std::length_error("the batch exceeds PostgreSQL's limit of 1 GB for one parameter");
  std::string header;
  append_int32(header, length_ == 0 ? 0 : 1);
  append_int32(header, has_nulls_ ? 1 : 0);
  append_int32(header, static_cast<std::uint32_t>(element_));
  append_int32(header, length_);
  append_int32(header, 1);
  std::memcpy(image_.data(), header.data(), header_octets);
  if (length_ == 0) image_.resize(empty_header_octets);
  length_ = 0;
  has_nulls_ = false;
  return std::exchange(image_, std::string(header_octets, '\0'));
}

}  // namespace storage::postgresql
