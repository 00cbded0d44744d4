#include "storage/directory/mailbox_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace storage::directory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MailboxName, DetailsThatNameAMailbox) {
  EXPECT_THAT(mailbox_names("Lists"), ElementsAre("Lists"));
  EXPECT_THAT(mailbox_names("lists/dev"), ElementsAre("lists/dev"));
  EXPECT_THAT(mailbox_names("/lists/"), ElementsAre("lists"));
  EXPECT_THAT(mailbox_names(".."), ElementsAre(".."));
  EXPECT_THAT(mailbox_names("a b&c_"), ElementsAre("a b&c_"));
}

// RFC 3501 §5.1.3's own examples, and a character outside the first plane.
TEST(MailboxName, OtherAlphabetsAsTheReadersStoreThem) {
  EXPECT_THAT(mailbox_names("台北"), ElementsAre("&U,BTFw-", "台北"));
  EXPECT_THAT(mailbox_names("~peter/mail/台北/日本語"),
              ElementsAre("~peter/mail/&U,BTFw-/&ZeVnLIqe-", "~peter/mail/台北/日本語"));
  EXPECT_THAT(mailbox_names("Größe & mehr"), ElementsAre("Gr&APYA3w-e &- mehr", "Größe & mehr"));
  EXPECT_THAT(mailbox_names("\U0001F600"), ElementsAre("&2D3eAA-", "\U0001F600"));
}

TEST(MailboxName, DetailsThatNameNone) {
  using namespace std::string_literals;
  for (const std::string& detail : {""s, "/"s, "a%"s, "*"s, "#Public/x"s, "#Users/bob/INBOX"s, "a\nb"s, "a\0b"s,
                                    "\x7f"s, "\xff"s, "\xED\xA0\x80"s, std::string(255, 'a')}) {
    EXPECT_THAT(mailbox_names(detail), IsEmpty()) << detail;
  }
  EXPECT_THAT(mailbox_names(std::string(254, 'a')), testing::SizeIs(1));
}

TEST(MailboxName, CaseCountsInsideEncodedRunsOnly) {
  EXPECT_TRUE(same_mailbox("Lists", "lISTS"));
  EXPECT_TRUE(same_mailbox("gr&APYA3w-E", "GR&APYA3w-e"));
  EXPECT_FALSE(same_mailbox("Gr&APYA3w-e", "Gr&apya3w-e"));
  EXPECT_FALSE(same_mailbox("a", "ab"));
  EXPECT_FALSE(same_mailbox("a_", "ab"));
}

TEST(MailboxName, StrangersCreateFlatNamesOnly) {
  EXPECT_TRUE(creatable("Lists-2024 (dev)"));
  for (const char* name : {"", "a/b", "#x", "a\"b", "a\\b", "ä"}) EXPECT_FALSE(creatable(name)) << name;
}

}  // namespace
}  // namespace storage::directory
