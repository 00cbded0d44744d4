// storage/mysql/script.h: statements that belong together, with their values: Session::send executes them in one round
// trip, or one by one when they are too large for that. Values view what they were made of, and answers are written
// where the caller says; both must live until the script has been sent. One thread; sent once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "storage/mysql/session.h"
#include "storage/mysql/statement.h"
#include "storage/mysql/value.h"

namespace storage::mysql {

class Script {
 public:
  void run(const Statement& statement) { steps_.push_back({Kind::run, statement, {}, {}, nullptr, {}}); }
  // ids: the new ones are added to it. No rows: no step, as below.
  void insert(const Statement& statement, std::vector<Value> rows, std::vector<std::int64_t>* ids = nullptr) {
    if (!rows.empty()) steps_.push_back({Kind::insert, statement, std::move(rows), {}, ids, {}});
  }
  void ask(const Statement& statement, std::vector<Value> keys, OnRow on_row) {
    if (!keys.empty()) steps_.push_back({Kind::ask, statement, std::move(keys), {}, nullptr, std::move(on_row)});
  }
  void change(const Statement& statement, std::vector<Value> rows, std::vector<Value> keys = {}) {
    if (!rows.empty()) steps_.push_back({Kind::change, statement, std::move(rows), std::move(keys), nullptr, {}});
  }

  [[nodiscard]] std::size_t size() const { return steps_.size(); }

  // Does step i in `to`: a Session does it now, a ScriptText takes it down.
  template <typename To>
  void apply(std::size_t i, To& to) const {
    const Step& step = steps_[i];
    switch (step.kind) {
      case Kind::run:
        return to.run(step.statement);
      case Kind::insert:
        return to.insert(step.statement, step.values, step.ids);
      case Kind::ask:
        return to.ask(step.statement, step.values, step.on_row);
      case Kind::change:
        return to.change(step.statement, step.values, step.keys);
    }
  }

  // When sending failed: is it certain that the step of this statement was not executed?
  [[nodiscard]] bool stopped_before(const Statement& statement) const;
  // Session: step i failed, and no later one was executed.
  void stop_at(std::size_t i) { stopped_at_ = i; }

 private:
  enum class Kind { run, insert, ask, change };
  struct Step {
    Kind kind;
    const Statement& statement;
    std::vector<Value> values;
    std::vector<Value> keys;
    std::vector<std::int64_t>* ids;
    OnRow on_row;
  };

  std::vector<Step> steps_;
  std::size_t stopped_at_ = static_cast<std::size_t>(-1);
};

}  // namespace storage::mysql
