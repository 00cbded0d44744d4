#include "storage/directory/alias_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace storage::directory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Aliases : public Directory {
 public:
  std::vector<AliasRow> aliases(std::span<const std::string>) override { return rows; }
  std::vector<UserRow> users_by_name(std::span<const std::string>) override { return {}; }
  std::vector<UserRow> users_by_id(std::span<const UserId>) override { return {}; }
  std::vector<MailboxRow> mailboxes(std::span<const MailboxQuestion>) override { return {}; }

  std::vector<AliasRow> rows;
};

class Tree : public testing::Test {
 protected:
  Expansion expand(const std::string& name) {
    missing.clear();
    return tree.expand(name, missing);
  }
  Aliases directory;
  AliasTree tree{directory};
  std::set<std::string> missing;
};

TEST_F(Tree, AsksForTheNextLevel) {
  directory.rows = {{"A@example.org", "b@example.org"}, {"a@example.org", "7"}};
  tree.load(std::vector<std::string>{"a@example.org"});
  EXPECT_TRUE(tree.has("a@example.org"));
  EXPECT_FALSE(tree.has("b@example.org"));
  EXPECT_THAT(expand("a@example.org").users, ElementsAre(7));
  EXPECT_THAT(missing, ElementsAre("b@example.org"));
  directory.rows = {};
  tree.load(std::vector<std::string>{"b@example.org"});
  EXPECT_THAT(expand("a@example.org").external, ElementsAre("b@example.org"));
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(Tree, RowsThatWereNotAskedForAreIgnored) {
  directory.rows = {{"josé@example.org", "7"}, {"other@example.org", "8"}};
  tree.load(std::vector<std::string>{"jose@example.org"});
  EXPECT_FALSE(tree.has("jose@example.org"));
  EXPECT_FALSE(tree.has("other@example.org"));
}

struct Text {
  const char* text;
  UserId user;  // 0: external
};
class Decimal : public testing::TestWithParam<Text> {};

TEST_P(Decimal, AsStrtoullReadsIt) {
  Aliases directory;
  directory.rows = {{"a", GetParam().text}};
  AliasTree tree(directory);
  tree.load(std::vector<std::string>{"a", GetParam().text});
  std::set<std::string> missing;
  const Expansion expansion = tree.expand("a", missing);
  if (GetParam().user != 0) {
    EXPECT_THAT(expansion.users, ElementsAre(GetParam().user));
  } else {
    EXPECT_THAT(expansion.external, ElementsAre(GetParam().text));
  }
}
INSTANTIATE_TEST_SUITE_P(AliasTree, Decimal,
                         testing::Values(Text{"5", 5}, Text{"0005", 5}, Text{" \t5", 5}, Text{"+5", 5},
                                         Text{"9223372036854775807", 9223372036854775807},
                                         Text{"9223372036854775808", 0}, Text{"-5", 0}, Text{"5 ", 0}, Text{"5x", 0},
                                         Text{"0x5", 0}, Text{"+", 0}));

TEST_F(Tree, LoopsAndDiamonds) {
  directory.rows = {{"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}, {"d", "7"}, {"d", "a"}};
  tree.load(std::vector<std::string>{"a", "b", "c", "d"});
  const Expansion expansion = expand("a");
  EXPECT_THAT(expansion.users, ElementsAre(7));
  EXPECT_THAT(expansion.external, IsEmpty());
  EXPECT_TRUE(expansion.looped);
}

}  // namespace
}  // namespace storage::directory
