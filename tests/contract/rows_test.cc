// The rows of a message, exactly; content shared where it is the same, and only there.
#include "tests/contract/contract.h"

namespace contract {
namespace {

class Rows : public Contract {
 protected:
  void SetUp() override {
    alice_ = store().add_user("alice@example.org");
    bob_ = store().add_user("bob@example.org");
  }
  // Delivers to alice and compares what the tables hold.
  void expect_exact(const storage::Message& message) {
    const auto outcomes = deliver_one(message, {store().inbox_of(alice_)});
    ASSERT_EQ(reasons(outcomes), std::vector{Reason::ok});
    const Entry entry = store().entry(outcomes[0].message_idnr);
    EXPECT_EQ(lines_of(store().rows(entry.physmessage)), lines_of(message, store().header_names()));
  }

  UserId alice_ = 0;
  UserId bob_ = 0;
};

std::string all_octets() {
  std::string octets;
  for (int i = 0; i < 256; ++i) octets += static_cast<char>(i);
  return octets;
}

TEST_P(Rows, AreTheMessage) {
  MadeMessage made("Part one\n");
  made.header("to", " <b@example.org>")
      .header("x-unknown", "not cached")
      .reference("1@example.org")
      .reference("2@example.org");
  made.part(2, 1, 0, true, "Content-Type: text/plain\n").part(2, 1, 1, false, "b\xC3\xB6\n");
  made.part(2, 0, 3, false, "epilogue").size(12345);
  expect_exact(made.build());
}

TEST_P(Rows, TheEntryIsThatOfNewMail) {
  const storage::Message message = MadeMessage().build();
  const Target target = store().inbox_of(alice_);
  const auto outcomes = deliver_one(message, {target}, "sender@example.org");
  const Entry entry = store().entry(outcomes.at(0).message_idnr);
  EXPECT_EQ(entry.mailbox, target.mailbox_id);
  EXPECT_EQ(entry.unique_id, storage::unique_id("sender@example.org", target.mailbox_id, message.content_digest, ""));
  EXPECT_EQ(outcomes[0].key, storage::StoredKey(target.mailbox_id, entry.unique_id));
  EXPECT_EQ(entry.status, 0);
  EXPECT_EQ(entry.recent_flag, 1);
  EXPECT_EQ(entry.other_flags, 0);
  EXPECT_EQ(entry.seq, 2);  // a mailbox begins with 1
  EXPECT_EQ(store().seq(alice_), 2);
}

// A1: an empty part is an empty value, never NULL.
TEST_P(Rows, EmptyParts) {
  MadeMessage made("");
  made.part(2, 1, 0, true, "").part(2, 1, 1, false, "");
  expect_exact(made.build());
}

TEST_P(Rows, BlobsOfAnyOctetsAndSizes) {
  for (const std::size_t size : {1u, 255u, 256u, 8000u, 16384u, 16385u, 70000u, 262144u, 262145u, 3000000u}) {
    std::string blob = all_octets();
    while (blob.size() < size) blob += blob;
    blob.resize(size);
    blob += std::to_string(size);
    expect_exact(MadeMessage(blob).build());
  }
}

TEST_P(Rows, HeaderValuesOfAllKinds) {
  MadeMessage made;
  made.header("to", "\U0001F30D \U00010348 é e\u0301 \\ ' \" % _ {} $1 ?1 \t");
  made.header("cc", "folded\r\n value").header("bcc", "").header("reply-to", std::string(65535, 'x'));
  made.header("in-reply-to", "NULL").header("references", std::string(20000, '\\'));
  expect_exact(made.build());
}

// Equal for a collation that ignores case, accents or trailing blanks, and not equal for us.
TEST_P(Rows, ValuesThatACollationTakesForEqual) {
  const std::vector<std::string> values = {"Strasse",  "strasse",   "STRASSE",  "Straße",     "Strässe",
                                           "strasse ", "strasse  ", " strasse", "\U0001F600", "\U0001F601",
                                           "ﬁ",        "fi",        "½"};
  MadeMessage made;
  for (const std::string& value : values) made.header("to", value);
  expect_exact(made.build());
  for (const std::string& value : values) expect_exact(MadeMessage("once more " + value).header("cc", value).build());
}

TEST_P(Rows, SeveralTargetsShareOnePhysmessage) {
  const UserId carl = store().add_user("carl@example.org");
  const storage::Message message = MadeMessage().size(1000).build();
  const auto outcomes =
      deliver_one(message, {store().inbox_of(carl), store().inbox_of(alice_), store().inbox_of(bob_)});
  EXPECT_EQ(reasons(outcomes), std::vector(3, Reason::ok));
  EXPECT_EQ(store().counts().messages, 3);
  EXPECT_EQ(store().counts().physmessages, 1);
  EXPECT_LT(outcomes[0].message_idnr, outcomes[1].message_idnr);
  EXPECT_LT(outcomes[1].message_idnr, outcomes[2].message_idnr);
  for (const TargetOutcome& outcome : outcomes) {
    const Entry entry = store().entry(outcome.message_idnr);
    EXPECT_EQ(lines_of(store().rows(entry.physmessage)), lines_of(message, store().header_names()));
    EXPECT_EQ(entry.seq, 2);
  }
  for (const char* name : {"alice@example.org", "bob@example.org", "carl@example.org"})
    EXPECT_EQ(store().used_size(name), 1000);
}

TEST_P(Rows, EqualPartsAndValuesAreStoredOnce) {
  std::vector<Delivery> batch;
  for (int i = 0; i < 5; ++i) {
    MadeMessage made("the same body\n");
    made.part(2, 1, 1, false, "own " + std::to_string(i)).part(3, 1, 1, false, "the same body\n");
    batch.push_back(delivery_of(made.build(), {store().inbox_of(alice_)}));
  }
  EXPECT_EQ(reasons(deliver(batch)), std::vector(5, Reason::ok));
  Counts counts = store().counts();
  EXPECT_EQ(counts.parts, 2 + 5);
  EXPECT_EQ(counts.partlists, 20);
  EXPECT_EQ(counts.values, 4);
  EXPECT_EQ(counts.headers, 20);
  const storage::Message later = MadeMessage("the same body\n").part(2, 1, 1, false, "later").build();
  EXPECT_EQ(reasons(deliver_one(later, {store().inbox_of(alice_)})), std::vector{Reason::ok});
  counts = store().counts();
  EXPECT_EQ(counts.parts, 2 + 5 + 1);
  EXPECT_EQ(counts.values, 4);
}

// Large blobs take another way through some engines.
TEST_P(Rows, LargePartsAreSharedToo) {
  const std::string large(400000, 'x');
  for (int i = 0; i < 3; ++i) expect_exact(MadeMessage(large).part(2, 1, 1, false, std::to_string(i)).build());
  EXPECT_EQ(store().counts().parts, 2 + 3);
}

// Decision 24: a clean-up tool may be about to delete what nothing references.
TEST_P(Rows, APartThatNothingReferencesIsNotReused) {
  const std::string body = "forgotten body\n";
  store().add_unused_part(testing_support::sha1_hex(body), body);
  expect_exact(MadeMessage(body).build());
  EXPECT_EQ(store().counts().parts, 3);
}

TEST_P(Rows, EqualHashesOfOtherDataAreOtherParts) {
  const std::string hash = testing_support::sha1_hex("x");
  for (const std::string& suffix : {std::string(), std::string(100000, 'z')}) {
    MadeMessage made("collisions" + suffix);
    made.part(2, 1, 1, false, "one" + suffix).with_hash(hash).part(3, 1, 1, false, "two" + suffix).with_hash(hash);
    expect_exact(made.build());
    expect_exact(MadeMessage("other" + suffix).part(2, 1, 1, false, "six" + suffix).with_hash(hash).build());
  }
}

TEST_P(Rows, ABatchOfFifty) {
  std::vector<Delivery> batch;
  std::vector<storage::Message> messages;
  for (int i = 0; i < 50; ++i) {
    messages.push_back(MadeMessage("body " + std::to_string(i)).header("to", "to " + std::to_string(i)).build());
    std::vector<Target> targets = {store().inbox_of(i % 2 == 0 ? alice_ : bob_)};
    if (i % 5 == 0) targets.push_back(store().inbox_of(i % 2 == 0 ? bob_ : alice_));
    batch.push_back(delivery_of(messages.back(), std::move(targets)));
  }
  const auto outcomes = deliver(batch);
  ASSERT_EQ(reasons(outcomes), std::vector(60, Reason::ok));
  std::size_t next = 0;
  storage::MessageId last = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (const Target& target : batch[i].targets) {
      const TargetOutcome& outcome = outcomes[next++];
      const Entry entry = store().entry(outcome.message_idnr);
      EXPECT_EQ(entry.mailbox, target.mailbox_id);
      EXPECT_GT(outcome.message_idnr, last);
      last = outcome.message_idnr;
      EXPECT_EQ(lines_of(store().rows(entry.physmessage)), lines_of(messages[i], store().header_names()));
    }
  }
  EXPECT_EQ(store().seq(alice_), 31);
  EXPECT_EQ(store().seq(bob_), 31);
}

ON_EVERY_ENGINE(Rows);

}  // namespace
}  // namespace contract
