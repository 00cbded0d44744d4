#include "storage/batch/content_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/made_message.h"
#include "tests/unit/storage/batch/recording_tables.h"

namespace storage::batch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::delivery_of;
using testing_support::MadeMessage;

class Builder : public testing::Test {
 protected:
  // Without header values, so that the lists stay short.
  void add(MadeMessage made) {
    batch_.push_back(delivery_of(made.build(), {Target(1, "INBOX", 10)}));
    batch_.back().message.headers.clear();
  }
  const Content& build(const std::vector<bool>& wanted) {
    builder_.emplace(batch_, tables_.names, tables_.known_values());
    builder_->collect(wanted);
    builder_->use(tables_.survey({}, builder_->rows()));
    return builder_->rows();
  }

  RecordingTables tables_;
  std::vector<Delivery> batch_;
  std::optional<ContentBuilder> builder_;
};

TEST_F(Builder, EachBlobOnce) {
  add(MadeMessage("one").part(2, 1, 1, false, "shared"));
  add(MadeMessage("two").part(2, 1, 1, false, "shared").part(3, 1, 1, false, "one"));
  const Content& content = build({true, true});
  std::vector<std::string_view> blobs;
  for (const PartKey& part : content.parts) blobs.push_back(part.data);
  EXPECT_THAT(blobs, ElementsAre(testing::HasSubstr("Return-Path"), "one", "shared", "two"));
  ASSERT_EQ(content.partlists.size(), 7u);
  EXPECT_EQ(content.partlists[2].part.index, 2u);
  EXPECT_EQ(content.partlists[5].part.index, 2u);
  EXPECT_EQ(content.partlists[6].part.index, 1u);
  EXPECT_EQ(content.partlists[6].physmessage, 1u);
}

TEST_F(Builder, EqualHashesAreNotEnough) {
  add(MadeMessage("one").with_hash("same").part(2, 1, 1, false, "two").with_hash("same"));
  EXPECT_EQ(build({true}).parts.size(), 3u);
}

TEST_F(Builder, ExistingRowsAreUsed) {
  add(MadeMessage("old").part(2, 1, 1, false, "new").part(3, 1, 1, false, "old").part(4, 1, 1, false, "newer"));
  tables_.parts_in_store = {{"old", 42}};
  const Content& content = build({true});
  ASSERT_EQ(content.parts.size(), 3u);
  EXPECT_EQ(content.parts[1].data, "new");
  EXPECT_EQ(content.parts[2].data, "newer");
  EXPECT_EQ(content.partlists[1].part.id, 42);
  EXPECT_EQ(content.partlists[2].part.id, 0);
  EXPECT_EQ(content.partlists[2].part.index, 1u);
  EXPECT_EQ(content.partlists[3].part.id, 42);
  EXPECT_EQ(content.partlists[4].part.index, 2u);
}

TEST_F(Builder, OnlyTheWantedDeliveries) {
  for (const char* body : {"a", "b", "c"}) add(MadeMessage(body));
  const Content& content = build({false, true, true});
  EXPECT_EQ(content.physmessages.size(), 2u);
  EXPECT_THAT(builder_->physmessages(tables_.insert_content(content)), ElementsAre(0, 1000, 1001));
}

// Some of the deliveries turn out to be stored already; what was found for all of them is still of use.
TEST_F(Builder, KeepsWhatIsLeft) {
  add(MadeMessage("stored").part(2, 1, 1, false, "shared").part(3, 1, 1, false, "old"));
  add(MadeMessage("new").part(2, 1, 1, false, "shared").part(3, 1, 1, false, "old"));
  tables_.parts_in_store = {{"old", 42}};
  build({true, true});
  builder_->keep({true, true});
  EXPECT_EQ(builder_->rows().parts.size(), 4u);
  builder_->keep({false, true});
  const Content& content = builder_->rows();
  EXPECT_EQ(content.physmessages.size(), 1u);
  ASSERT_EQ(content.parts.size(), 3u);  // the header, "new", "shared"
  EXPECT_EQ(content.parts[2].data, "shared");
  ASSERT_EQ(content.partlists.size(), 4u);
  EXPECT_EQ(content.partlists[2].part.index, 2u);
  EXPECT_EQ(content.partlists[3].part.id, 42);
}

TEST_F(Builder, ValuesFoundLatelyAreNotAskedForAgain) {
  tables_.values_in_store = {{"often", 42}};
  for (const char* subject : {"once", "twice"}) {
    batch_.clear();
    batch_.push_back(delivery_of(MadeMessage(subject).header("to", "often").header("from", subject).build(), {}));
    build({true});
  }
  ASSERT_EQ(tables_.asked_values.size(), 2u);
  EXPECT_THAT(tables_.asked_values[0], testing::Contains("often"));
  EXPECT_THAT(tables_.asked_values[1],
              testing::AllOf(testing::Not(testing::Contains("often")), testing::Contains("twice")));
  const auto& headers = builder_->rows().headers;
  EXPECT_TRUE(std::any_of(headers.begin(), headers.end(), [](const HeaderRow& row) { return row.value.id == 42; }));
}

TEST_F(Builder, HeadersWithKnownNamesDistinct) {
  batch_.push_back(delivery_of(
      MadeMessage("a").header("x-unknown", "v").header("to", "Grüße 🌍").header("to", "Grüße 🌍").build(), {}));
  const Content& content = build({true});
  EXPECT_EQ(content.values.size(), 4u);   // "to" shares the subject's value
  EXPECT_EQ(content.headers.size(), 5u);  // and is there once
  EXPECT_EQ(content.values[3].date, "2024-11-05");
  EXPECT_EQ(content.values[0].date, "");
}

TEST_F(Builder, WhatCannotBeCachedIsLeftOut) {
  MadeMessage made("a");
  made.header("to", std::string(65536, 'x'))
      .header("to", std::string("a\0b", 3))
      .reference(std::string(256, 'r'))
      .reference("r");
  batch_.push_back(delivery_of(made.build(), {}));
  const Content& content = build({true});
  EXPECT_EQ(content.headers.size(), 4u);
  EXPECT_EQ(content.references.size(), 1u);
}

TEST_F(Builder, RemovesOnlyWhatNobodyElseUses) {
  add(MadeMessage("kept").part(2, 1, 1, false, "shared"));
  add(MadeMessage("refused").part(2, 1, 1, false, "shared"));
  const ContentIds ids = tables_.insert_content(build({true, true}));
  builder_->remove(tables_, ids, {true, false});
  EXPECT_THAT(tables_.deleted_physmessages, ElementsAre(1001));
  EXPECT_THAT(tables_.deleted_parts, ElementsAre(2003));
  EXPECT_THAT(tables_.deleted_values, IsEmpty());
  tables_.calls.clear();
  builder_->remove(tables_, ids, {true, true});
  EXPECT_THAT(tables_.calls, IsEmpty());
}

TEST(HeaderNamesFor, AreAddedSortedOnlyWhenAllowed) {
  RecordingTables tables;
  std::vector<Delivery> batch;
  batch.push_back(delivery_of(
      MadeMessage("a").header("x-b", "1").header("x-a", "1").header(std::string(101, 'n'), "1").build(), {}));
  batch.push_back(delivery_of(MadeMessage("b").header("x-a", "1").build(), {}));
  Options options;
  EXPECT_FALSE(header_names_for(tables, batch, options).contains("x-a"));
  EXPECT_THAT(tables.calls, ElementsAre("header_names"));
  options.cache_new_header_names = true;
  EXPECT_TRUE(header_names_for(tables, batch, options).contains("x-a"));
  EXPECT_THAT(tables.added_names, ElementsAre("x-a", "x-b"));
  tables.calls.clear();
  (void)header_names_for(tables, batch, options);
  EXPECT_THAT(tables.calls, ElementsAre("header_names"));
}

}  // namespace
}  // namespace storage::batch
