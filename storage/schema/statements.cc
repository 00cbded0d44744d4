#include "storage/schema/statements.h"

#include <algorithm>
#include <stdexcept>

#include "storage/schema/embedded_files.h"
#include "storage/schema/schema.h"

namespace storage::schema {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The quoted text that begins at position at, closing quote included. A doubled quote simply opens the next piece.
std::string_view quoted_piece(std::string_view script, std::size_t at) {
  const auto end = script.find(script[at], at + 1);
  return script.substr(at, end == std::string_view::npos ? end : end - at + 1);
}

bool ends_with_end(std::string_view statement) {
  return statement.ends_with("END") && (statement.size() == 3 || !is_word_character(statement[statement.size() - 4]));
}

bool is_complete(std::string_view statement) {
  return !statement.starts_with("CREATE TRIGGER") || ends_with_end(statement);
}

std::string_view file_text(Engine engine, std::string_view file) {
  std::string_view folder;
  switch (engine) {
    case Engine::sqlite:
      folder = "sqlite/";
      break;
    case Engine::postgresql:
      folder = "postgresql/";
      break;
    case Engine::mysql:
      folder = "mysql/";
      break;
  }
  for (const EmbeddedFile& entry : embedded_files()) {
    if (entry.name.starts_with(folder) && entry.name.substr(folder.size()) == file) return entry.text;
  }
  throw std::logic_error("schema file " + std::string(folder) + std::string(file) + " is not embedded");
}

}  // namespace

std::vector<std::string> split_statements(std::string_view script) {
  std::vector<std::string> statements;
  std::string current;
  for (std::size_t at = 0; at < script.size();) {
    const char c = script[at];
    if (c == '\'' || c == '"' || c == '`') {
      const auto piece = quoted_piece(script, at);
      current += piece;
      at += piece.size();
    } else if (script.substr(at).starts_with("--")) {
      at = std::min(script.find('\n', at), script.size());
    } else if (c == ';' && is_complete(trimmed(current))) {
      if (const auto statement = trimmed(current); !statement.empty()) statements.emplace_back(statement);
      current.clear();
      ++at;
    } else {
      const auto next = std::min(script.find_first_of("'\"`;-", at + 1), script.size());
      current += script.substr(at, next - at);
      at = next;
    }
  }
  if (const auto rest = trimmed(current); !rest.empty()) statements.emplace_back(rest);
  return statements;
}

std::string fill_prefix(std::string_view script, std::string_view prefix) {
  if (!std::all_of(prefix.begin(), prefix.end(), is_word_character)) {
    throw std::invalid_argument("table prefix: only letters, digits and underscores are allowed");
  }
  constexpr std::string_view marker = "{prefix}";
  std::string filled;
  std::size_t at = 0;
  for (auto found = script.find(marker); found != std::string_view::npos; found = script.find(marker, at)) {
    filled += script.substr(at, found - at);
    filled += prefix;
    at = found + marker.size();
  }
  filled += script.substr(at);
  return filled;
}

std::vector<std::string> create_statements(Engine engine, IndexSet indexes, std::string_view prefix) {
  std::vector<std::string> statements;
  for (const auto file :
       {std::string_view("base.sql"),
        indexes == IndexSet::lean ? std::string_view("indexes-lean.sql") : std::string_view("indexes-dbmail.sql")}) {
    for (std::string& statement : split_statements(fill_prefix(file_text(engine, file), prefix))) {
      statements.push_back(std::move(statement));
    }
  }
  return statements;
}

}  // namespace storage::schema
