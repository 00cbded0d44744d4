// storage/mysql/script_text.h: several statements as ONE text. In: statements of statements.h in order, with their
// values; out: the very text that would be prepared for each, with a literal in place of each question mark, and who
// takes the rows of each. Text literals are escaped by the client library for the connection's charset and SQL mode.
// Values are copied. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/mysql/session.h"
#include "storage/mysql/statement.h"
#include "storage/mysql/value.h"

namespace storage::mysql {

class ScriptText {
 public:
  // Appends what may stand between single quotes in place of value.
  using Escape = std::function<void(std::string_view value, std::string& out)>;

  // One statement of the text.
  struct Part {
    std::string_view name;
    bool answers = false;  // it gives rows, be it none of them
    std::size_t fewest_rows = 0;
    OnRow on_row;
  };

  // server and prefix must outlive this object. most_octets: of text().
  ScriptText(const Server& server, std::string_view prefix, std::size_t most_octets, Escape escape);

  // As Session's methods of these names; what they answer comes when the text has been executed.
  void run(const Statement& statement);
  void insert(const Statement& statement, std::span<const Value> values, std::vector<std::int64_t>* ids);
  void ask(const Statement& statement, std::span<const Value> keys, const OnRow& on_row);
  void change(const Statement& statement, std::span<const Value> rows, std::span<const Value> keys);
  // To be called last: makes the last part one that answers. The client library cannot tell "no rows" from "not
  // executed", so only an answer proves that everything before it was.
  void finish();

  // False: it would be longer than most_octets, and is incomplete.
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }

 private:
  void add(const Statement& statement, std::span<const Value> values, std::size_t rows, Part part);
  void add_literal(const Value& value);

  const Server& server_;
  const std::string_view prefix_;
  const std::size_t most_octets_;
  const Escape escape_;
  bool fits_ = true;
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace storage::mysql
