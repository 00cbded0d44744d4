#include "storage/mysql/script.h"

#include <gtest/gtest.h>

#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

TEST(ScriptTest, EmptyQuestionsAndRowsAreNoSteps) {
  Script script;
  script.insert(statements::insert_parts, {});
  script.ask(statements::find_parts, {}, [](const Row&) {});
  script.change(statements::add_quota, {});
  EXPECT_EQ(script.size(), 0u);
  script.run(statements::begin);
  EXPECT_EQ(script.size(), 1u);
}

TEST(ScriptTest, KnowsWhatWasNotExecuted) {
  Script script;
  script.run(statements::begin);
  script.change(statements::delete_parts, {Value(std::int64_t{1})});
  script.run(statements::commit);
  EXPECT_FALSE(script.stopped_before(statements::commit));  // nothing is known
  script.stop_at(1);
  EXPECT_TRUE(script.stopped_before(statements::commit));
  EXPECT_FALSE(script.stopped_before(statements::delete_parts));
  EXPECT_FALSE(script.stopped_before(statements::rollback));  // never was a step
  script.stop_at(2);
  EXPECT_FALSE(script.stopped_before(statements::commit));
}

}  // namespace
}  // namespace storage::mysql
