#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "storage/directory/directory.h"

namespace storage::directory {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ascii_lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// lower() knows ASCII only, as SQLite's does: the weakest of the engines.
class FakeDirectory : public Directory {
 public:
  std::vector<AliasRow> aliases(std::span<const std::string> keys) override {
    ++calls;
    return matching(alias_rows, keys, [](const AliasRow& row) { return row.alias; });
  }
  std::vector<UserRow> users_by_name(std::span<const std::string> keys) override {
    ++calls;
    return matching(user_rows, keys, [](const UserRow& row) { return row.userid; });
  }
  std::vector<UserRow> users_by_id(std::span<const UserId> ids) override {
    ++calls;
    std::vector<UserRow> out;
    for (const UserRow& row : user_rows) {
      if (std::find(ids.begin(), ids.end(), row.id) != ids.end()) out.push_back(row);
    }
    return out;
  }
  std::vector<MailboxRow> mailboxes(std::span<const MailboxQuestion> questions) override {
    ++calls;
    std::vector<MailboxRow> out;
    for (const MailboxRow& row : mailbox_rows) {
      for (const MailboxQuestion& question : questions) {
        if (row.owner == question.owner && ascii_lower(row.name) == ascii_lower(question.name)) out.push_back(row);
      }
    }
    return out;
  }

  std::vector<AliasRow> alias_rows;
  std::vector<UserRow> user_rows;
  std::vector<MailboxRow> mailbox_rows;
  int calls = 0;

 private:
  template <typename Row, typename Name>
  static std::vector<Row> matching(const std::vector<Row>& rows, std::span<const std::string> keys, Name name) {
    std::vector<Row> out;
    for (const Row& row : rows) {
      if (std::find(keys.begin(), keys.end(), ascii_lower(name(row))) != keys.end()) out.push_back(row);
    }
    return out;
  }
};

// Users alice 11, bob 12, carl 13 (not active), dora 14 (full), each with an INBOX 1000 + id; erik 15 has none.
class Resolve : public testing::Test {
 protected:
  Resolve() {
    add_user(11, "alice@example.org");
    add_user(12, "Bob@Example.org");
    add_user(13, "carl@example.org");
    add_user(14, "dora@example.org");
    add_user(15, "erik@example.org");
    directory.user_rows[2].active = false;
    directory.user_rows[3].max_size = directory.user_rows[3].used_size = 1000;
    directory.mailbox_rows.pop_back();
  }

  void add_user(UserId id, std::string name) {
    directory.user_rows.push_back({id, std::move(name), true, 0, 0});
    directory.mailbox_rows.push_back({1000 + id, id, "INBOX", true});
  }
  void alias(std::string name, std::string target) {
    directory.alias_rows.push_back({std::move(name), std::move(target)});
  }
  void mailbox(MailboxId id, UserId owner, std::string name, bool selectable = true) {
    directory.mailbox_rows.push_back({id, owner, std::move(name), selectable});
  }

  Resolution resolve(std::string local, std::string domain = "example.org") {
    const Address address(std::move(local), std::move(domain));
    Resolution out;
    steps.clear();
    directory::resolve(directory, options, std::span(&address, 1), std::span(&out, 1), &steps);
    return out;
  }
  std::vector<UserId> users(const Resolution& resolution) {
    std::vector<UserId> out;
    for (const Target& target : resolution.targets) out.push_back(target.user);
    return out;
  }
  Reason reason(std::string local, std::string domain = "example.org") {
    const Resolution out = resolve(std::move(local), std::move(domain));
    EXPECT_EQ(out.status.reason() == Reason::ok, !out.targets.empty());
    return out.status.reason();
  }

  FakeDirectory directory;
  Options options;
  std::vector<std::string> steps;
};

TEST_F(Resolve, UseridWithoutCase) {
  EXPECT_THAT(resolve("ALICE", "EXAMPLE.ORG").targets, ElementsAre(Target(11, "INBOX", 1011)));
  EXPECT_THAT(resolve("bob").targets, ElementsAre(Target(12, "INBOX", 1012)));
  EXPECT_EQ(reason("nobody"), Reason::no_such_mailbox);
  EXPECT_EQ(reason("alice", "example.test"), Reason::no_such_mailbox);
}

TEST_F(Resolve, ACollationThatMatchesTooMuchIsCheckedAgain) {
  add_user(16, "jose@example.org");
  class Loose : public FakeDirectory {
   public:
    std::vector<UserRow> users_by_name(std::span<const std::string>) override { return user_rows; }
    std::vector<AliasRow> aliases(std::span<const std::string>) override { return alias_rows; }
  } loose;
  loose.user_rows = directory.user_rows;
  loose.mailbox_rows = directory.mailbox_rows;
  loose.alias_rows = {{"josé@example.test", "11"}};
  const Address address("josé", "example.org");
  Resolution out;
  directory::resolve(loose, options, std::span(&address, 1), std::span(&out, 1));
  EXPECT_EQ(out.status.reason(), Reason::no_such_mailbox);
}

// A42: a fixed order; case never changes it.
TEST_F(Resolve, OrderOfSteps) {
  alias("@.org", "15");
  EXPECT_THAT(users(resolve("x", "example.org")), ElementsAre(15));
  alias("@example.org", "12");
  EXPECT_THAT(users(resolve("info")), ElementsAre(12));
  EXPECT_THAT(users(resolve("info+x")), ElementsAre(12));
  alias("Info@example.org", "11");
  EXPECT_THAT(users(resolve("info")), ElementsAre(11));
  EXPECT_THAT(users(resolve("INFO")), ElementsAre(11));
  EXPECT_THAT(users(resolve("info+x")), ElementsAre(11));
  EXPECT_THAT(users(resolve("alice+x")), ElementsAre(11));
  alias("alice+x@example.org", "12");
  EXPECT_THAT(users(resolve("alice+x")), ElementsAre(12));  // exact beats split
  alias("alice@example.org", "12");
  EXPECT_THAT(users(resolve("alice")), ElementsAre(12));  // alias beats userid
}

TEST_F(Resolve, ExactUseridBeatsTheSplit) {
  options.detail_delimiters = "+-";
  add_user(20, "a-b@example.org");
  add_user(21, "a@example.org");
  EXPECT_THAT(users(resolve("a-b")), ElementsAre(20));
  EXPECT_THAT(users(resolve("a-c")), ElementsAre(21));
  EXPECT_THAT(users(resolve("a+b-c")), ElementsAre(21));
}

TEST_F(Resolve, CatchAllsWalkUpWithTheDot) {
  alias("@catch.example.net", "11");
  alias("@.sub.example.net", "12");
  EXPECT_THAT(users(resolve("x", "catch.example.net")), ElementsAre(11));
  EXPECT_EQ(reason("x", "deep.catch.example.net"), Reason::no_such_mailbox);
  EXPECT_THAT(users(resolve("x", "a.b.sub.example.net")), ElementsAre(12));
  EXPECT_EQ(reason("x", "sub.example.net"), Reason::no_such_mailbox);
  alias("postmaster@", "11");
  EXPECT_THAT(users(resolve("Postmaster", "any.example.test")), ElementsAre(11));
  EXPECT_EQ(reason("postmaster+x", "any.example.test"), Reason::no_such_mailbox);
}

TEST_F(Resolve, WithoutDomain) {
  add_user(20, "root");
  alias("abuse", "11");
  EXPECT_THAT(users(resolve("root", "")), ElementsAre(20));
  EXPECT_THAT(users(resolve("Abuse", "")), ElementsAre(11));
  EXPECT_EQ(reason("alice", ""), Reason::no_such_mailbox);
}

// A41
TEST_F(Resolve, DomainsInEitherForm) {
  add_user(20, "u@bücher.example");
  add_user(21, "a@xn--bcher-kva.example");
  alias("@xn--mller-kva.example", "11");
  for (const char* domain : {"bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "XN--BCHER-KVA.EXAMPLE"}) {
    EXPECT_THAT(users(resolve("u", domain)), ElementsAre(20)) << domain;
    EXPECT_THAT(users(resolve("a", domain)), ElementsAre(21)) << domain;
  }
  EXPECT_THAT(users(resolve("x", "müller.example")), ElementsAre(11));
}

TEST_F(Resolve, AliasesExpandToDistinctUsers) {
  alias("team@example.org", "11");
  alias("team@example.org", "12");
  alias("team@example.org", "more@example.org");
  alias("MORE@example.org", " 0011");  // C's strtoull rules
  alias("more@example.org", "+15");
  EXPECT_THAT(resolve("team").targets,
              ElementsAre(Target(11, "INBOX", 1011), Target(12, "INBOX", 1012), Target(15, "INBOX", 0)));
}

// A46
TEST_F(Resolve, LoopsAndDeepChainsLeadNowhere) {
  alias("a@example.org", "b@example.org");
  alias("b@example.org", "A@example.org");
  EXPECT_EQ(reason("a"), Reason::no_such_mailbox);
  alias("b@example.org", "11");
  EXPECT_THAT(users(resolve("a")), ElementsAre(11));
  for (int i = 0; i < 30; ++i)
    alias("c" + std::to_string(i) + "@example.org", "c" + std::to_string(i + 1) + "@example.org");
  alias("c30@example.org", "11");
  EXPECT_EQ(reason("c9"), Reason::no_such_mailbox);  // 21 steps below
  EXPECT_THAT(users(resolve("c10")), ElementsAre(11));
}

TEST_F(Resolve, ASelfReferenceIsIgnored) {
  alias("alice@example.org", "Alice@example.org");
  EXPECT_THAT(users(resolve("alice")), ElementsAre(11));
  EXPECT_THAT(resolve("alice").skipped, IsEmpty());
}

// A47: on every path; nothing later in the order is tried.
TEST_F(Resolve, UsersThatAreNotActive) {
  alias("@example.org", "11");
  alias("sales@example.org", "13");
  alias("carl2@", "13");
  alias("@example.test", "13");
  EXPECT_EQ(reason("carl"), Reason::mailbox_disabled);
  EXPECT_EQ(reason("carl+x"), Reason::mailbox_disabled);
  EXPECT_EQ(reason("sales"), Reason::mailbox_disabled);
  EXPECT_EQ(reason("x", "example.test"), Reason::mailbox_disabled);
  EXPECT_EQ(reason("carl2", "nowhere.example"), Reason::mailbox_disabled);
  alias("sales@example.org", "12");
  EXPECT_THAT(users(resolve("sales")), ElementsAre(12));
}

TEST_F(Resolve, TargetsThatAreNotLocal) {
  alias("gone@example.org", "99");
  alias("out@example.org", "someone@example.test");
  alias("named@example.org", "alice@example.org");  // a userid is external in DBMail
  alias("pipe@example.org", "|/bin/cat");
  alias("bang@example.org", "!/bin/cat");
  alias("mixed@example.org", "someone@example.test");
  alias("mixed@example.org", "|/bin/cat");
  alias("mixed@example.org", "11");
  alias("@example.org", "12");
  EXPECT_EQ(reason("gone"), Reason::no_such_mailbox);
  EXPECT_EQ(reason("out"), Reason::external_only);
  EXPECT_EQ(reason("pipe"), Reason::pipe_target);
  EXPECT_EQ(reason("bang"), Reason::pipe_target);
  EXPECT_EQ(reason("named"), Reason::external_only);
  EXPECT_THAT(steps, Contains(HasSubstr("Warning: \"alice@example.org\" is the name of a user")));
  const Resolution mixed = resolve("mixed");
  EXPECT_THAT(users(mixed), ElementsAre(11));
  EXPECT_THAT(mixed.skipped, ElementsAre("someone@example.test", "|/bin/cat"));
}

TEST_F(Resolve, DbmailsInternalUsersGetNoMailByName) {
  add_user(1, "__@!internal_delivery_user!@__");
  add_user(2, "anyone");
  add_user(3, "__public__");
  EXPECT_EQ(reason("anyone", ""), Reason::no_such_mailbox);
  EXPECT_EQ(reason("__public__", ""), Reason::no_such_mailbox);
  EXPECT_EQ(reason("__@!internal_delivery_user!", "__"), Reason::no_such_mailbox);
}

// A49
TEST_F(Resolve, OverQuotaOnlyWhenAllAreFull) {
  EXPECT_EQ(reason("dora"), Reason::over_quota);
  alias("both@example.org", "14");
  EXPECT_EQ(reason("both"), Reason::over_quota);
  alias("both@example.org", "11");
  EXPECT_THAT(users(resolve("both")), ElementsAre(14, 11));
  directory.user_rows[3].used_size = 999;
  EXPECT_THAT(users(resolve("dora")), ElementsAre(14));
}

TEST_F(Resolve, DetailsChooseExistingMailboxes) {
  mailbox(2001, 11, "Lists");
  mailbox(2002, 11, "lists/dev");
  mailbox(2003, 11, "closed", false);
  mailbox(2004, 12, "other");
  EXPECT_THAT(resolve("alice+lists").targets, ElementsAre(Target(11, "Lists", 2001)));
  EXPECT_THAT(resolve("alice+lists/dev").targets, ElementsAre(Target(11, "lists/dev", 2002)));
  for (const char* detail :
       {"closed", "other", "none", "", "li%", "l_sts", "*", "#Users/Bob@Example.org/other", "li\nsts"}) {
    EXPECT_THAT(resolve("alice+" + std::string(detail)).targets, ElementsAre(Target(11, "INBOX", 1011))) << detail;
  }
  mailbox(2005, 11, "lists");
  EXPECT_THAT(resolve("alice+lists").targets, ElementsAre(Target(11, "lists", 2005)));
  alias("alice+lists@example.org", "11");
  EXPECT_THAT(resolve("alice+lists").targets, ElementsAre(Target(11, "INBOX", 1011)));  // here + is part of the name
}

TEST_F(Resolve, DetailsOfAliasesAndCatchAlls) {
  mailbox(2001, 11, "shop");
  mailbox(2002, 12, "shop");
  alias("sales@example.org", "11");
  alias("sales@example.org", "12");
  alias("@example.test", "11");
  EXPECT_THAT(resolve("sales+shop").targets, ElementsAre(Target(11, "shop", 2001), Target(12, "shop", 2002)));
  EXPECT_THAT(resolve("any+shop", "example.test").targets, ElementsAre(Target(11, "shop", 2001)));
}

TEST_F(Resolve, DetailMailboxesAreCreatedOnlyWhenAllowed) {
  options.create_detail_mailboxes = true;
  mailbox(2003, 11, "closed", false);
  EXPECT_THAT(resolve("alice+new").targets, ElementsAre(Target(11, "new", 0)));
  EXPECT_THAT(resolve("alice+closed").targets, ElementsAre(Target(11, "INBOX", 1011)));
  EXPECT_THAT(resolve("alice+a/b").targets, ElementsAre(Target(11, "INBOX", 1011)));
  EXPECT_THAT(resolve("erik+inbox").targets, ElementsAre(Target(15, "INBOX", 0)));
}

TEST_F(Resolve, AnInboxThatTakesNothing) {
  directory.mailbox_rows[0].selectable = false;
  EXPECT_EQ(reason("alice"), Reason::mailbox_disabled);
}

TEST_F(Resolve, LookUpsDoNotGrowWithTheAddresses) {
  alias("team@example.org", "more@example.org");
  alias("more@example.org", "12");
  std::vector<Address> in;
  for (int i = 0; i < 100; ++i) {
    in.emplace_back("alice+d" + std::to_string(i), "example.org");
    in.emplace_back("team", "example.org");
    in.emplace_back("nobody" + std::to_string(i), "x.example.test");
  }
  std::vector<Resolution> out(in.size());
  directory::resolve(directory, options, in, out);
  EXPECT_EQ(directory.calls, 5);  // aliases, users, one level, users by id, mailboxes
  EXPECT_THAT(users(out[297]), ElementsAre(11));
  EXPECT_THAT(users(out[298]), ElementsAre(12));
  EXPECT_EQ(out[299].status.reason(), Reason::no_such_mailbox);
  directory.calls = 0;
  directory::resolve(directory, options, std::span(in).first(1), std::span(out).first(1));
  EXPECT_EQ(directory.calls, 3);
}

TEST_F(Resolve, ExplainsItsSteps) {
  alias("info@example.org", "11");
  (void)resolve("info+x");
  EXPECT_THAT(steps, ElementsAre("No alias \"info+x@example.org\".", "No user \"info+x@example.org\".",
                                 "Found alias without detail \"info@example.org\": user id 11.",
                                 "Delivers to mailbox \"INBOX\" of alice@example.org."));
}

}  // namespace
}  // namespace storage::directory
