#include "storage/postgresql/catalog.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace storage::postgresql {
namespace {

constexpr int oldest_server = 120000;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string without_prefix(const Session& session, std::string_view relation) {
  return std::string(relation.substr(std::min(session.options().table_prefix.size(), relation.size())));
}

// "lower(alias::text)" → "lower(alias)", "\"name\"" → "name": the spelling of storage/schema.
std::string index_column(std::string_view definition) {
  std::string text = lower(definition);
  std::erase(text, '"');
  if (const std::size_t cast = text.find("::"); cast != std::string::npos) {
    text.erase(cast, text.find(')', cast) == std::string::npos ? std::string::npos : text.find(')', cast) - cast);
  }
  // "lower((alias)" is left of "lower((alias)::text)".
  if (text.starts_with("lower((")) text.erase(5, 1);
  return text;
}

void read_columns(Session& session, schema::Catalog& catalog) {
  const Rows rows = session.execute(Statement::catalog_columns);
  for (int row = 0; row < rows.size(); ++row) {
    schema::Column column;
    column.type = rows.octets(row, 2);
    column.nullable = rows.int8(row, 3) != 0;
    column.has_default = rows.int8(row, 4) != 0;
    schema::Table& table = catalog.tables[without_prefix(session, rows.octets(row, 0))];
    table.columns.emplace(rows.octets(row, 1), std::move(column));
  }
}

void read_indexes(Session& session, schema::Catalog& catalog) {
  const Rows rows = session.execute(Statement::catalog_indexes);
  std::int64_t current = 0;
  for (int row = 0; row < rows.size(); ++row) {
    std::vector<schema::Index>& indexes = catalog.tables[without_prefix(session, rows.octets(row, 0))].indexes;
    if (rows.int8(row, 1) != current) indexes.emplace_back().unique = rows.int8(row, 2) != 0;
    current = rows.int8(row, 1);
    indexes.back().columns.push_back(index_column(rows.octets(row, 3)));
  }
}

void read_rows(Session& session, schema::Catalog& catalog) {
  if (catalog.tables.contains("upgrade_steps")) {
    const Rows rows = session.execute(Statement::catalog_upgrade_steps);
    for (int row = 0; row < rows.size(); ++row) {
      catalog.upgrade_steps.emplace_back(static_cast<int>(rows.int8(row, 0)), static_cast<int>(rows.int8(row, 1)));
    }
  }
  if (catalog.tables.contains("users")) {
    const Rows rows = session.execute(Statement::catalog_users);
    for (int row = 0; row < rows.size(); ++row) catalog.users.emplace_back(rows.octets(row, 0));
  }
  if (catalog.tables.contains("headername")) {
    const Rows rows = session.execute(Statement::catalog_header_names);
    for (int row = 0; row < rows.size(); ++row) catalog.header_names.emplace_back(rows.octets(row, 0));
  }
}

// False: the role cannot even be trusted to see what is there.
bool has_privileges(Session& session, SchemaReport& report) {
  const Rows rows = session.execute(Statement::catalog_privileges);
  for (int row = 0; row < rows.size(); ++row) {
    const std::string privilege(rows.octets(row, 0));
    const std::string role(rows.octets(row, 1));
    report.problems.push_back("the role " + role + " lacks " + privilege + ": GRANT " + privilege + " TO " + role);
  }
  return rows.size() == 0;
}

// As this role's sessions have it: the settings may come from the server, the database or the role.
void check_durability(Session& session, SchemaReport& report) {
  const Rows rows = session.execute(Statement::catalog_durability);
  for (int row = 0; row < rows.size(); ++row) {
    report.remarks.push_back(std::string(rows.octets(row, 0)) +
                             "=off: mail acknowledged just before may be lost when the server fails; on is safe");
  }
}

}  // namespace

schema::Catalog read_catalog(Session& session) {
  schema::Catalog catalog;
  const Rows encoding = session.execute(Statement::catalog_encoding);
  if (encoding.size() > 0) catalog.database_charset = encoding.octets(0, 0);
  read_columns(session, catalog);
  read_indexes(session, catalog);
  read_rows(session, catalog);
  return catalog;
}

void check_schema(Session& session, SchemaReport& report) {
  const int version = session.server_version();
  report.server = "PostgreSQL " + std::to_string(version / 10000) + "." + std::to_string(version % 10000);
  if (version < oldest_server) report.problems.push_back(report.server + " is too old: 12 or later is needed");
  check_durability(session, report);
  if (!has_privileges(session, report)) return;
  schema::compare(schema::Engine::postgresql, read_catalog(session), session.options().table_prefix, report);
}

}  // namespace storage::postgresql
