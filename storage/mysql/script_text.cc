#include "storage/mysql/script_text.h"

#include <algorithm>
#include <utility>

#include "storage/mysql/multi_row.h"
#include "storage/mysql/statements.h"

namespace storage::mysql {

ScriptText::ScriptText(const Server& server, std::string_view prefix, std::size_t most_octets, Escape escape)
    : server_(server), prefix_(prefix), most_octets_(most_octets), escape_(std::move(escape)) {}

void ScriptText::run(const Statement& statement) {
  add(statement, {}, 1, Part{statement.name, false, 0, nullptr});
}

void ScriptText::insert(const Statement& statement, std::span<const Value> values, std::vector<std::int64_t>* ids) {
  if (values.empty()) return;
  const std::size_t rows = values.size() / columns(statement);
  if (ids != nullptr && server_.mariadb) {
    const auto on_row = [ids](const Row& row) { ids->push_back(row.integer(1)); };
    add(statement, values, rows, Part{statement.name, true, rows, on_row});
    return;
  }
  add(statement, values, rows, Part{statement.name, false, 0, nullptr});
  if (ids == nullptr) return;
  const auto on_row = [ids, rows, increment = server_.auto_increment_increment](const Row& row) {
    add_ids(row.integer(1), rows, increment, *ids);
  };
  add(statements::last_insert_id, {}, 1, Part{statement.name, true, 1, on_row});
}

void ScriptText::ask(const Statement& statement, std::span<const Value> keys, const OnRow& on_row) {
  const std::size_t width = columns(statement);
  while (!keys.empty()) {
    const std::size_t rows = std::min(keys.size() / width, statement.most_rows);
    add(statement, keys.first(rows * width), rows, Part{statement.name, true, 0, on_row});
    keys = keys.subspan(rows * width);
  }
}

void ScriptText::change(const Statement& statement, std::span<const Value> rows, std::span<const Value> keys) {
  const std::size_t width = columns(statement);
  while (!rows.empty()) {
    const std::size_t count = std::min(rows.size() / width, statement.most_rows);
    std::vector<Value> values(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count * width));
    if (!keys.empty()) {
      values.insert(values.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
      keys = keys.subspan(count);
    }
    add(statement, values, count, Part{statement.name, false, 0, nullptr});
    rows = rows.subspan(count * width);
  }
}

void ScriptText::finish() {
  if (!parts_.empty() && !parts_.back().answers) {
    add(statements::script_end, {}, 1, Part{statements::script_end.name, true, 1, [](const Row&) {}});
  }
}

void ScriptText::add(const Statement& statement, std::span<const Value> values, std::size_t rows, Part part) {
  const bool returning = part.answers && !statement.id_column.empty();
  const std::string with_marks = render(statement, prefix_, rows, returning);
  std::size_t longest = text_.size() + 1 + with_marks.size();
  for (const Value& value : values) longest += longest_literal(value);
  fits_ = fits_ && longest <= most_octets_;
  if (!fits_) return;

  text_.reserve(longest);
  if (!parts_.empty()) text_ += ';';
  std::string_view rest = with_marks;
  for (const Value& value : values) {
    const std::size_t mark = rest.find('?');
    text_ += rest.substr(0, mark);
    add_literal(value);
    rest.remove_prefix(mark + 1);
  }
  text_ += rest;
  parts_.push_back(std::move(part));
}

void ScriptText::add_literal(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    text_ += std::to_string(*number);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    text_ += '\'';
    escape_(*text, text_);
    text_ += '\'';
  } else {
    text_ += "NULL";
  }
}

}  // namespace storage::mysql
