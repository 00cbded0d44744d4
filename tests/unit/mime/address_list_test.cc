#include "lmtpd/mime/address_list.h"

#include <gtest/gtest.h>

#include <string>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

struct Case {
  const char* text;
  const char* rendering;
  const char* sortfield;
};

class AddressLists : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialise_gmime(); }
};

TEST_F(AddressLists, RenderingAndSortfield) {
  for (const Case& c : {
           Case{"Ann <Ann@example.org>", "Ann <Ann@example.org>", "Ann"},
           Case{"b@example.org", " <b@example.org>", "b"},
           Case{"a@example.org, b@example.org", " <a@example.org>,  <b@example.org>", "a"},
           Case{"\"Last, First\" <lf@example.org>", "\"Last, First\" <lf@example.org>", "lf"},
           Case{"x@y, undisclosed:; G: a@b, C <c@d>;", " <x@y> undisclosed:; G:  <a@b>, C <c@d>;", "x"},
           Case{"Team: a@b;", "Team:  <a@b>;", "Team"},
           Case{"one@a; two@b", " <one@a>", "one"},
           Case{"just a name", "", ""},
           Case{"<>", "", ""},
           Case{"", "", ""},
       }) {
    const AddressList list = parse_addresses(c.text);
    EXPECT_EQ(render_addresses(list), c.rendering) << c.text;
    EXPECT_EQ(address_sortfield(list), c.sortfield) << c.text;
  }
}

TEST_F(AddressLists, SortfieldIsCut) {
  EXPECT_EQ(address_sortfield(parse_addresses(std::string(300, 'x') + "@example.org")).size(), 253u);
}

// Long lists are parsed in pieces, which must not show.
TEST_F(AddressLists, LongListsAreComplete) {
  std::string text;
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    const std::string number = std::to_string(i);
    text += (i == 0 ? "" : ", ") + ("\"Last" + number + ", First (x, y@z)\" <u" + number + "@example.org> (a, b@c)");
    expected += (i == 0 ? "" : ", ") + ("\"Last" + number + ", First (x, y@z)\" <u" + number + "@example.org>");
  }
  EXPECT_EQ(render_addresses(parse_addresses(text)), expected);
}

TEST_F(AddressLists, LongGroupsLoseNobody) {
  std::string text = "Team: ";
  for (int i = 0; i < 200; ++i) text += "u" + std::to_string(i) + "@example.org, ";
  const std::string rendering = render_addresses(parse_addresses(text + "last@example.org;"));
  for (int i = 0; i < 200; ++i) EXPECT_NE(rendering.find("<u" + std::to_string(i) + "@"), std::string::npos) << i;
  EXPECT_NE(rendering.find("<last@"), std::string::npos);
}

TEST_F(AddressLists, InvalidOctetsNeverComeOut) {
  for (const char* text : {"\xE9t\xE9 <a@b>", "=?utf-8?Q?=FF?= <a@b>", "x\xFF@y", "\xFF: a@b;"}) {
    EXPECT_TRUE(is_utf8(render_addresses(parse_addresses(text))));
  }
}

}  // namespace
}  // namespace lmtpd::mime
