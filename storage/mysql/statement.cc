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

}  // namespace

std::size_t columns(const Statement& statement) {
  return static_cast<std::size_t>(std::count(statement.row.begin(), statement.row.end(), '?'));
}

std::string render(const Statement& statement, std::string_view prefix, std::size_t rows, bool returning) {
  std::string out;
  std::string_view rest = statement.text;
  while (true) {
    const auto open = rest.find('{');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = rest.find('}', open);
    const std::string_view name = rest.substr(open + 1, close - open - 1);
    if (name == "p") out += prefix;
    if (name == "rows") repeat(out, statement.row, statement.between, rows);
    if (name == "keys") repeat(out, "?", ", ", rows);
    rest.remove_prefix(close + 1);
  }
  if (returning) out.append(" RETURNING ").append(statement.id_column);
  return out;
}

}  // namespace storage::mysql
