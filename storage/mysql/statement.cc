#include "storage/mysql/statement.h"

#include <algorithm>

namespace storage::mysql {
namespace {

void repeat(std::string& out, std::string_view piece, std::string_view between, std::size_t times) {
  out.reserve(out.size() + times * (piece.size() + between.size()));
  for (std::size_t i = 0; i < times; ++i) {
    if (i != 0) out += between;
    out += piece;
  }
}

// The template with expand(name, out) in place of each {name}.
template <typename Expand>
std::string fill(std::string_view rest, Expand expand) {
  std::string out;
  for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    out += rest.substr(0, open);
    const auto close = rest.find('}', open);
    expand(rest.substr(open + 1, close - open - 1), out);
    rest.remove_prefix(close + 1);
  }
  return out.append(rest);
}

}  // namespace

std::size_t columns(const Statement& statement) {
  return static_cast<std::size_t>(std::count(statement.row.begin(), statement.row.end(), '?'));
}

std::string render(const Statement& statement, std::string_view prefix, std::size_t rows, bool returning) {
  const auto expand = [&](std::string_view name, std::string& out) {
    if (name == "p") out += prefix;
    if (name == "rows")
      repeat(out, fill(statement.row, [&](auto, std::string& row) { row += prefix; }), statement.between, rows);
    if (name == "keys") repeat(out, "?", ", ", rows);
  };
  std::string out = fill(statement.text, expand);
  if (returning) out.append(" RETURNING ").append(statement.id_column);
  return out;
}

}  // namespace storage::mysql
