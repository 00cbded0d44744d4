// tests/unit/schema/full_catalog.h: what an engine would report of a fresh install, made from the schema files
// themselves.
#pragma once

#include <string>
#include <string_view>

#include "storage/schema/blueprint.h"
#include "storage/schema/needs.h"
#include "storage/schema/schema.h"

namespace storage::schema {

inline Blueprint blueprint_of(Engine engine, IndexSet indexes) {
  return read_blueprint(create_statements(engine, indexes, "dbmail_"), "dbmail_");
}

inline Column column_of(Engine engine, const BlueprintColumn& wanted) {
  const auto has = [&](std::string_view word) { return wanted.definition.find(word) != std::string::npos; };
  Column column;
  column.type = wanted.definition.substr(0, wanted.definition.find_first_of(" ("));
  column.nullable = !has("NOT NULL") && !has("PRIMARY KEY");
  column.has_default = has("DEFAULT") || has("AUTO_INCREMENT") || has("PRIMARY KEY");
  if (engine == Engine::mysql &&
      (column.type.find("char") != std::string::npos || column.type.find("text") != std::string::npos)) {
    column.charset = "utf8mb4";
  }
  return column;
}

inline Catalog full_catalog(Engine engine, IndexSet indexes) {
  const Blueprint blueprint = blueprint_of(engine, indexes);
  Catalog catalog;
  for (const auto& wanted : blueprint.tables) {
    Table& table = catalog.tables[wanted.name];
    for (const auto& column : wanted.columns) table.columns[column.name] = column_of(engine, column);
    for (const auto& index : wanted.indexes) table.indexes.push_back({index.columns, index.unique});
  }
  for (const auto& view : blueprint.views) catalog.tables[view];
  catalog.database_charset = engine == Engine::mysql ? "utf8mb4" : engine == Engine::postgresql ? "UTF8" : "UTF-8";
  for (const auto& step : needs::upgrade_steps) catalog.upgrade_steps.emplace_back(step.from, step.to);
  for (const auto name : needs::users) catalog.users.emplace_back(name);
  for (const auto name : needs::header_names) catalog.header_names.emplace_back(name);
  catalog.header_names.emplace_back("message-id");
  return catalog;
}

}  // namespace storage::schema
