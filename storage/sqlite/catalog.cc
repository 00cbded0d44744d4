#include "storage/sqlite/catalog.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace storage::sqlite {
namespace {

constexpr int oldest_library = 3038000;  // json_each is built in

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string without_prefix(const Session& session, std::string_view name) {
  return lower(name.substr(std::min(session.options().table_prefix.size(), name.size())));
}

// An expression has no column name: "CREATE INDEX i ON t (lower(alias))" → "lower(alias)".
std::string expression_of(const std::string& create_index) {
  const auto open = create_index.find('(');
  const auto close = create_index.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  std::string expression = lower(create_index.substr(open + 1, close - open - 1));
  std::erase(expression, ' ');
  return expression;
}

void read_columns(Session& session, schema::Catalog& catalog) {
  session.execute(Statement::catalog_columns, [&](Cursor& cursor) {
    cursor.bind_text(1, session.options().table_prefix);
    while (cursor.step()) {
      schema::Table& table = catalog.tables[without_prefix(session, cursor.octets(0))];
      schema::Column column;
      column.type = cursor.octets(2);
      column.nullable = cursor.int8(3) == 0;
      column.has_default = cursor.int8(4) != 0;
      const std::string name = lower(cursor.octets(1));
      // An INTEGER PRIMARY KEY is the table itself, so no index is listed for it.
      if (cursor.int8(5) != 0) table.indexes.push_back({{name}, true});
      table.columns.emplace(name, std::move(column));
    }
  });
}

void read_indexes(Session& session, schema::Catalog& catalog) {
  session.execute(Statement::catalog_indexes, [&](Cursor& cursor) {
    cursor.bind_text(1, session.options().table_prefix);
    std::string current;
    while (cursor.step()) {
      auto& indexes = catalog.tables[without_prefix(session, cursor.octets(0))].indexes;
      const std::string index = cursor.octets(1);
      if (index != current) indexes.emplace_back().unique = cursor.int8(2) != 0;
      current = index;
      indexes.back().columns.push_back(cursor.is_null(3) ? expression_of(cursor.octets(4)) : lower(cursor.octets(3)));
    }
  });
}

void read_rows(Session& session, schema::Catalog& catalog) {
  if (catalog.tables.contains("upgrade_steps")) {
    session.execute(Statement::catalog_upgrade_steps, [&](Cursor& cursor) {
      while (cursor.step())
        catalog.upgrade_steps.emplace_back(static_cast<int>(cursor.int8(0)), static_cast<int>(cursor.int8(1)));
    });
  }
  if (catalog.tables.contains("users")) {
    session.execute(Statement::catalog_users, [&](Cursor& cursor) {
      while (cursor.step()) catalog.users.push_back(cursor.octets(0));
    });
  }
  if (catalog.tables.contains("headername")) {
    session.execute(Statement::catalog_header_names, [&](Cursor& cursor) {
      while (cursor.step()) catalog.header_names.push_back(cursor.octets(0));
    });
  }
}

}  // namespace

schema::Catalog read_catalog(Session& session) {
  schema::Catalog catalog;
  session.execute(Statement::catalog_encoding, [&](Cursor& cursor) {
    if (cursor.step()) catalog.database_charset = cursor.octets(0);
  });
  read_columns(session, catalog);
  read_indexes(session, catalog);
  read_rows(session, catalog);
  return catalog;
}

namespace {

void judge(const schema::Catalog& catalog, std::string_view prefix, SchemaReport& report) {
  report.server = std::string("SQLite ") + sqlite3_libversion();
  if (sqlite3_libversion_number() < oldest_library)
    report.problems.push_back(report.server + " is too old: 3.38 or later is needed");
  schema::compare(schema::Engine::sqlite, catalog, prefix, report);
}

}  // namespace

void check_schema(Session& session, SchemaReport& report) {
  judge(read_catalog(session), session.options().table_prefix, report);
}

void check_missing_file(const Options& options, SchemaReport& report) {
  schema::Catalog empty;
  empty.database_charset = "UTF-8";
  judge(empty, options.table_prefix, report);
  const std::string obstacle = obstacle_to_creation(options);
  if (!obstacle.empty()) report.problems.push_back(obstacle);
}

}  // namespace storage::sqlite
