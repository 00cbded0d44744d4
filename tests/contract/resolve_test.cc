// Who gets it: the same answers on every engine. The order of steps itself is tested in tests/unit/storage/directory.
#include "tests/contract/contract.h"

namespace contract {
namespace {

using storage::Address;
using storage::Resolution;

class Resolve : public Contract {
 protected:
  void SetUp() override {
    alice_ = store().add_user("Alice@Example.org");
    bob_ = store().add_user("bob@example.org", 1000);
  }

  std::vector<Resolution> resolve(const std::vector<Address>& addresses) {
    std::vector<Resolution> out(addresses.size());
    EXPECT_OK(connection().resolve(addresses, out));
    return out;
  }
  Resolution resolve_one(std::string local, std::string domain = "example.org") {
    return resolve({Address(std::move(local), std::move(domain))}).at(0);
  }
  Reason reason(std::string local, std::string domain = "example.org") {
    return resolve_one(std::move(local), std::move(domain)).status.reason();
  }
  std::vector<UserId> users(std::string local, std::string domain = "example.org") {
    std::vector<UserId> out;
    for (const Target& target : resolve_one(std::move(local), std::move(domain)).targets) out.push_back(target.user);
    return out;
  }

  UserId alice_ = 0;
  UserId bob_ = 0;
};

TEST_P(Resolve, UsersAndAliasesWithoutCase) {
  store().add_alias("Info@Example.ORG", std::to_string(alice_));
  store().add_alias("info@example.org", std::to_string(bob_));
  EXPECT_EQ(users("ALICE"), std::vector{alice_});
  EXPECT_EQ(users("iNFO"), (std::vector{alice_, bob_}));
  EXPECT_EQ(reason("nobody"), Reason::no_such_mailbox);
  EXPECT_EQ(resolve_one("alice").targets, std::vector{store().inbox_of(alice_)});
}

TEST_P(Resolve, CatchAllsAndChains) {
  store().add_alias("@example.test", "list@example.test");
  store().add_alias("list@example.test", "deep@example.test");
  store().add_alias("deep@example.test", std::to_string(bob_));
  store().add_alias("@.example.net", std::to_string(alice_));
  store().add_alias("postmaster@", std::to_string(bob_));
  EXPECT_EQ(users("anything", "example.test"), std::vector{bob_});
  EXPECT_EQ(users("x", "a.example.net"), std::vector{alice_});
  EXPECT_EQ(users("Postmaster", "nowhere.example"), std::vector{bob_});
  EXPECT_EQ(reason("x", "example.net"), Reason::no_such_mailbox);
}

TEST_P(Resolve, Refusals) {
  const UserId carl = store().add_user("carl@example.org");
  store().deactivate(carl);
  store().add_alias("carl2@example.org", std::to_string(carl));
  store().add_alias("gone@example.org", "98765");
  store().add_alias("out@example.org", "someone@example.test");
  store().add_alias("pipe@example.org", "|/bin/true");
  store().add_alias("loop@example.org", "loop2@example.org");
  store().add_alias("loop2@example.org", "loop@example.org");
  EXPECT_EQ(reason("carl"), Reason::mailbox_disabled);
  EXPECT_EQ(reason("carl2"), Reason::mailbox_disabled);
  EXPECT_EQ(reason("carl+detail"), Reason::mailbox_disabled);
  EXPECT_EQ(reason("gone"), Reason::no_such_mailbox);
  EXPECT_EQ(reason("out"), Reason::external_only);
  EXPECT_EQ(reason("pipe"), Reason::pipe_target);
  EXPECT_EQ(reason("loop"), Reason::no_such_mailbox);
  (void)deliver_one(MadeMessage().size(1000).build(), {store().inbox_of(bob_)});
  EXPECT_EQ(reason("bob"), Reason::over_quota);
}

TEST_P(Resolve, Mailboxes) {
  const storage::MailboxId lists = store().add_mailbox(alice_, "Lists", true);
  const storage::MailboxId under = store().add_mailbox(alice_, "a_b", true);
  const storage::MailboxId other = store().add_mailbox(alice_, "Gr&APYA3w-e", true);
  (void)store().add_mailbox(alice_, "closed", false);
  const Target inbox = store().inbox_of(alice_);
  EXPECT_EQ(resolve_one("alice+lISTS").targets, std::vector{Target(alice_, "Lists", lists)});
  EXPECT_EQ(resolve_one("alice+A_B").targets, std::vector{Target(alice_, "a_b", under)});
  EXPECT_EQ(resolve_one("alice+Größe").targets, std::vector{Target(alice_, "Gr&APYA3w-e", other)});
  for (const char* detail :
       {"closed", "axb", "a%", "li%", "Lists ", "List", "none", "#Public/Lists", "../Lists", "L\\ists"}) {
    EXPECT_EQ(resolve_one("alice+" + std::string(detail)).targets, std::vector{inbox}) << detail;
  }
  store().remove_mailbox(inbox.mailbox_id);
  EXPECT_EQ(resolve_one("alice").targets, std::vector{Target(alice_, "INBOX", 0)});
  use([](storage::Options& options) { options.create_detail_mailboxes = true; });
  EXPECT_EQ(resolve_one("alice+new").targets, std::vector{Target(alice_, "new", 0)});
}

TEST_P(Resolve, CharactersThatMeanSomethingElsewhere) {
  std::vector<std::string> locals = {"o'brien", "back\\slash", "per%cent",  "under_score", "quo\"te",
                                     "a\nb",    "{1}",         "$1",        "[x]",         "semi;colon--",
                                     "josé",    "日本",        "\U0001F600"};
  std::vector<Address> addresses;
  std::vector<UserId> expected;
  for (const std::string& local : locals) {
    expected.push_back(store().add_user(local + "@example.org"));
    addresses.emplace_back(local, "example.org");
  }
  const auto out = resolve(addresses);
  for (std::size_t i = 0; i < locals.size(); ++i) {
    ASSERT_EQ(out[i].targets.size(), 1u) << locals[i];
    EXPECT_EQ(out[i].targets[0].user, expected[i]) << locals[i];
  }
  for (const char* local : {"per_cent", "underXscore", "jose", "o''brien", "%"}) {
    EXPECT_EQ(reason(local), Reason::no_such_mailbox) << local;
  }
}

// A41
TEST_P(Resolve, DomainsAsALabelsAndULabels) {
  const UserId u = store().add_user("u@bücher.example");
  const UserId a = store().add_user("a@xn--bcher-kva.example");
  store().add_alias("@müller.example", std::to_string(u));
  for (const char* domain : {"bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "XN--BCHER-KVA.example"}) {
    EXPECT_EQ(users("u", domain), std::vector{u}) << domain;
    EXPECT_EQ(users("A", domain), std::vector{a}) << domain;
  }
  EXPECT_EQ(users("any", "xn--mller-kva.example"), std::vector{u});
}

TEST_P(Resolve, ManyAtOnceAnswerEachHisOwn) {
  std::vector<Address> addresses;
  for (int i = 0; i < 200; ++i) {
    addresses.emplace_back("alice+" + std::to_string(i), "example.org");
    addresses.emplace_back("nobody" + std::to_string(i), "a.b.c.example.test");
    addresses.emplace_back("BOB", "EXAMPLE.ORG");
  }
  const auto out = resolve(addresses);
  for (std::size_t i = 0; i < out.size(); i += 3) {
    EXPECT_EQ(out[i].targets, std::vector{store().inbox_of(alice_)});
    EXPECT_EQ(out[i + 1].status.reason(), Reason::no_such_mailbox);
    EXPECT_EQ(out[i + 2].targets, std::vector{store().inbox_of(bob_)});
    if (HasFailure()) return;
  }
}

TEST_P(Resolve, ExplainAnswersTheSame) {
  store().add_alias("info@example.org", std::to_string(alice_));
  std::vector<std::string> steps;
  Resolution result;
  EXPECT_OK(store().admin().explain({"info", "example.org"}, steps, result));
  EXPECT_EQ(result.targets, resolve_one("info").targets);
  EXPECT_FALSE(steps.empty());
}

ON_EVERY_ENGINE(Resolve);

}  // namespace
}  // namespace contract
