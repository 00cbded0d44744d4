#include "storage/postgresql/binary_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace storage::postgresql {
namespace {

std::string octets(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(static_cast<char>(value));
  return out;
}

// An independent reading of the format, as array_recv does it.
struct Decoded {
  std::uint32_t dimensions = 0;
  bool has_nulls = false;
  std::uint32_t element = 0;
  std::uint32_t lower_bound = 0;
  std::vector<std::optional<std::string>> elements;
};

class Reader {
 public:
  explicit Reader(std::string_view image) : image_(image) {}
  std::uint32_t int32() {
    const std::string_view four = take(4);
    std::uint32_t value = 0;
    for (const char c : four) value = (value << 8) | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view take(std::size_t count) {
    if (count > image_.size()) throw std::out_of_range("image too short");
    const std::string_view piece = image_.substr(0, count);
    image_.remove_prefix(count);
    return piece;
  }
  [[nodiscard]] bool at_end() const { return image_.empty(); }

 private:
  std::string_view image_;
};

Decoded decode(std::string_view image) {
  Reader reader(image);
  Decoded decoded;
  decoded.dimensions = reader.int32();
  decoded.has_nulls = reader.int32() != 0;
  decoded.element = reader.int32();
  std::uint32_t length = 0;
  if (decoded.dimensions == 1) {
    length = reader.int32();
    decoded.lower_bound = reader.int32();
  }
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t size = reader.int32();
    if (size == 0xFFFFFFFFu) {
      decoded.elements.emplace_back();
    } else {
      decoded.elements.emplace_back(reader.take(size));
    }
  }
  EXPECT_TRUE(reader.at_end());
  return decoded;
}

TEST(BinaryArray, EmptyArrayHasNoDimension) {
  EXPECT_EQ(BinaryArray(Element::bytea).take_image(), octets({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17}));
}

TEST(BinaryArray, Int8ImageIsExact) {
  const std::vector<std::int64_t> values = {1, -2};
  EXPECT_EQ(int8_array(values).take_image(),
            octets({0, 0, 0, 1, 0,   0,   0,   0,   0,   0,   0,   20, 0, 0, 0, 2, 0, 0, 0, 1,  //
                    0, 0, 0, 8, 0,   0,   0,   0,   0,   0,   0,   1,                           //
                    0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254}));
}

TEST(BinaryArray, NullsAreMarked) {
  BinaryArray array(Element::bytea);
  array.add(std::string_view("a\0b", 3));
  array.add_null();
  array.add(std::string_view());
  const Decoded decoded = decode(array.take_image());
  EXPECT_TRUE(decoded.has_nulls);
  EXPECT_THAT(decoded.elements,
              testing::ElementsAre(std::optional(std::string("a\0b", 3)), std::nullopt, std::optional(std::string())));
}

TEST(BinaryArray, ProjectionsPickAColumn) {
  struct Row {
    std::string_view name;
    std::uint64_t size;
  };
  const std::vector<Row> rows = {{"x", 7}, {"yz", 8}};
  EXPECT_THAT(decode(text_array(rows, &Row::name).take_image()).elements, testing::ElementsAre("x", "yz"));
  const Decoded sizes = decode(int8_array(rows, &Row::size).take_image());
  EXPECT_EQ(sizes.elements.at(1), octets({0, 0, 0, 0, 0, 0, 0, 8}));
}

TEST(BinaryArray, IsEmptyAfterTaking) {
  BinaryArray array(Element::text);
  array.add(std::string_view("x"));
  (void)array.take_image();
  EXPECT_EQ(array.take_image(), BinaryArray(Element::text).take_image());
}

// Law: whatever goes in comes out, in order.
TEST(BinaryArray, RandomElementsComeBack) {
  std::mt19937 random(20250101);
  for (int round = 0; round < 200; ++round) {
    BinaryArray array(Element::bytea);
    std::vector<std::optional<std::string>> expected(random() % 20);
    for (auto& element : expected) {
      if (random() % 5 == 0) {
        array.add_null();
        continue;
      }
      element.emplace(random() % 300, '\0');
      for (char& c : *element) c = static_cast<char>(random() & 0xFF);
      array.add(std::string_view(*element));
    }
    const Decoded decoded = decode(array.take_image());
    EXPECT_EQ(decoded.elements, expected);
    EXPECT_EQ(decoded.dimensions, expected.empty() ? 0u : 1u);
    EXPECT_EQ(decoded.element, 17u);
  }
}

}  // namespace
}  // namespace storage::postgresql
