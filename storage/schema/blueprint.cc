#include "storage/schema/blueprint.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace storage::schema {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Cuts the first word off.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(" \t\r\n("), text.size());
  const auto word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

// What is between the first parenthesis and the one that closes it.
std::string_view in_parentheses(std::string_view text) {
  const auto open = text.find('(');
  int depth = 0;
  for (auto at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return text.substr(open + 1, at - open - 1);
  }
  throw std::logic_error("schema file: unbalanced parentheses: " + std::string(text));
}

// Cut at the commas that are outside of parentheses.
std::vector<std::string_view> list_items(std::string_view list) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at < list.size() && list[at] == '(') ++depth;
    if (at < list.size() && list[at] == ')') --depth;
    if (at == list.size() || (list[at] == ',' && depth == 0)) {
      items.push_back(trimmed(list.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  return items;
}

// "hash" → "hash", "headervalue(255)" → "headervalue", "lower(alias)" stays.
std::vector<std::string> index_columns(std::string_view definition) {
  std::vector<std::string> columns;
  for (const auto item : list_items(in_parentheses(definition))) {
    columns.emplace_back(item.starts_with("lower(") ? item : item.substr(0, item.find('(')));
  }
  return columns;
}

std::string without_prefix(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) throw std::logic_error("schema file: no prefix: " + std::string(name));
  return std::string(name.substr(prefix.size()));
}

void add_constraint(BlueprintTable& table, std::string_view kind, std::string_view definition) {
  if (kind == "FOREIGN") return;
  const bool unique = kind != "KEY";
  table.indexes.push_back({index_columns(definition), unique, {}});
}

void add_column(BlueprintTable& table, std::string_view name, std::string_view definition) {
  table.columns.push_back({std::string(name), std::string(definition)});
  if (definition.find("PRIMARY KEY") != std::string_view::npos || definition.find("UNIQUE") != std::string_view::npos) {
    table.indexes.push_back({{std::string(name)}, true, {}});
  }
}

void add_item(BlueprintTable& table, std::string_view item) {
  std::string_view rest = item;
  auto word = take_word(rest);
  if (word == "CONSTRAINT") {
    take_word(rest);
    word = take_word(rest);
  }
  if (word == "PRIMARY" || word == "UNIQUE" || word == "KEY" || word == "FOREIGN") {
    add_constraint(table, word, rest);
  } else {
    add_column(table, word, rest);
  }
}

BlueprintTable read_table(std::string_view after_table, std::string_view prefix) {
  BlueprintTable table;
  table.name = without_prefix(take_word(after_table), prefix);
  for (const auto item : list_items(in_parentheses(after_table))) add_item(table, item);
  return table;
}

void add_index(Blueprint& blueprint, const std::string& statement, std::string_view after_index,
               std::string_view prefix) {
  take_word(after_index);  // its name
  take_word(after_index);  // ON
  const std::string name = without_prefix(take_word(after_index), prefix);
  if (after_index.find("WHERE") != std::string_view::npos) return;
  for (BlueprintTable& table : blueprint.tables) {
    if (table.name != name) continue;
    table.indexes.push_back({index_columns(after_index), statement.starts_with("CREATE UNIQUE"), statement});
    return;
  }
  throw std::logic_error("schema file: index on an unknown table: " + statement);
}

}  // namespace

const BlueprintColumn* BlueprintTable::column(std::string_view column_name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& column) { return column.name == column_name; });
  return found == columns.end() ? nullptr : &*found;
}

const BlueprintTable* Blueprint::table(std::string_view table_name) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const auto& table) { return table.name == table_name; });
  return found == tables.end() ? nullptr : &*found;
}

Blueprint read_blueprint(std::span<const std::string> statements, std::string_view prefix) {
  Blueprint blueprint;
  for (const std::string& statement : statements) {
    std::string_view rest = statement;
    if (take_word(rest) != "CREATE") continue;
    const auto kind = take_word(rest);
    if (kind == "TABLE") {
      blueprint.tables.push_back(read_table(rest, prefix));
    } else if (kind == "VIEW") {
      blueprint.views.push_back(without_prefix(take_word(rest), prefix));
    } else if (kind == "INDEX") {
      add_index(blueprint, statement, rest, prefix);
    } else if (kind == "UNIQUE") {
      take_word(rest);
      add_index(blueprint, statement, rest, prefix);
    }
  }
  return blueprint;
}

}  // namespace storage::schema
