// storage/schema/schema.h: the installed schema files (schema/<engine>/*.sql, embedded at build time) and what lmtpd
// needs of a database, compared with what an engine found there. Pure: no client library; engines fill a Catalog and
// print nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "storage/admin.h"
#include "storage/driver.h"

namespace storage::schema {

enum class Engine : std::uint8_t { sqlite, postgresql, mysql };

// The statements of a fresh install, in order, prefix filled in, without trailing semicolons (trigger bodies stay
// whole).
[[nodiscard]] std::vector<std::string> create_statements(Engine engine, IndexSet indexes, std::string_view prefix);

// What an engine read from its system tables: tables and views. Names in lower case, table names without the prefix.
struct Column {
  std::string type;     // the engine's own word: "bigint", "character varying", "longblob", "TEXT" …
  std::string charset;  // MySQL only: "utf8mb4", empty for non-text
  bool nullable = true;
  bool has_default = false;  // a default, an identity or auto increment
};
struct Index {
  std::vector<std::string> columns;  // lower-case; expressions as "lower(alias)", or as the server prints them
  bool unique = false;
};
struct Table {
  std::map<std::string, Column> columns;
  std::vector<Index>
      indexes;  // primary keys included, SQLite's INTEGER PRIMARY KEY too; partial and invalid indexes left out
  std::string row_format;  // MySQL only, lower case
};
struct Catalog {
  std::map<std::string, Table> tables;
  std::string database_charset;                    // "UTF8", "utf8mb4", "utf8mb3" …
  std::vector<std::pair<int, int>> upgrade_steps;  // rows of upgrade_steps
  std::vector<std::string> users;                  // internal users found among the three
  std::vector<std::string> header_names;           // rows of headername
};

// Adds to report.problems each missing table, column, needed index, required row and wrong charset, with the remedy
// where it is one sentence; to report.remarks what merely costs speed or compatibility. A database without any of the
// tables is one problem.
void compare(Engine engine, const Catalog& found, std::string_view prefix, SchemaReport& report);

}  // namespace storage::schema
