// storage/schema/blueprint.h: the tables, columns and indexes that the schema files describe, read from their own
// statements, so that what is compared and what is installed can never differ. Understands the subset of SQL that
// schema/*/*.sql is written in. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace storage::schema {

struct BlueprintColumn {
  std::string name;
  std::string definition;  // what follows the name: "bigint NOT NULL DEFAULT 0"
};

struct BlueprintIndex {
  std::vector<std::string> columns;  // as in schema.h: "hash", "lower(alias)"
  bool unique = false;               // primary keys included
  std::string statement;             // CREATE INDEX …; empty for a constraint inside CREATE TABLE
};

struct BlueprintTable {
  std::string name;  // without the prefix
  std::vector<BlueprintColumn> columns;
  std::vector<BlueprintIndex> indexes;

  [[nodiscard]] const BlueprintColumn* column(std::string_view column_name) const;
};

struct Blueprint {
  std::vector<BlueprintTable> tables;  // in the order of the files
  std::vector<std::string> views;

  [[nodiscard]] const BlueprintTable* table(std::string_view table_name) const;
};

// statements: of create_statements(). Partial indexes are left out. Throws std::logic_error where a file leaves the
// known subset.
[[nodiscard]] Blueprint read_blueprint(std::span<const std::string> statements, std::string_view prefix);

}  // namespace storage::schema
