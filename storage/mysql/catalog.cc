#include "storage/mysql/catalog.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/mysql/privileges.h"
#include "storage/mysql/statements.h"
#include "storage/schema/schema.h"

namespace storage::mysql {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Older servers write utf8 where newer ones write utf8mb3.
std::string charset_name(std::string name) {
  return name == "utf8" ? "utf8mb3" : name;
}

class Reading {
 public:
  explicit Reading(Session& session) : session_(session), prefix_(lower(session.prefix())) {}

  void run() {
    read_tables();
    read_columns();
    read_indexes();
    session_.query(statements::catalog_charset, {}, 1,
                   [&](const Row& row) { catalog_.database_charset = charset_name(row.text(1)); });
    session_.query(statements::catalog_variables, {}, 1,
                   [&](const Row& row) { variables_[lower(row.text(1))] = row.text(2); });
    read_rows();
  }

  void judge(SchemaReport& report) const {
    check_version(report);
    check_engines(report);
    check_collations(report);
    check_durability(report);
  }

  [[nodiscard]] const schema::Catalog& catalog() const { return catalog_; }

 private:
  // Without the prefix, lower case; nullopt for foreign tables.
  [[nodiscard]] std::optional<std::string> own_name(const Row& row) const {
    const std::string name = lower(row.text(1));
    if (!name.starts_with(prefix_)) return std::nullopt;
    return name.substr(prefix_.size());
  }

  void read_tables() {
    session_.query(statements::catalog_tables, {}, 1, [&](const Row& row) {
      const auto name = own_name(row);
      if (!name) return;
      catalog_.tables[*name].row_format = row.null(3) ? "" : lower(row.text(3));
      if (!row.null(2)) engines_[*name] = row.text(2);  // a view has none
    });
  }

  void read_columns() {
    session_.query(statements::catalog_columns, {}, 1, [&](const Row& row) {
      const auto name = own_name(row);
      if (!name) return;
      const std::string column = lower(row.text(2));
      schema::Column& found = catalog_.tables[*name].columns[column];
      found.type = lower(row.text(3));
      found.charset = row.null(4) ? "" : charset_name(row.text(4));
      found.nullable = row.text(6) == "YES";
      found.has_default = row.integer(7) != 0;
      collations_[*name + "." + column] = row.null(5) ? "" : row.text(5);
    });
  }

  void read_indexes() {
    std::string last;
    session_.query(statements::catalog_indexes, {}, 1, [&](const Row& row) {
      const auto name = own_name(row);
      if (!name) return;
      auto& indexes = catalog_.tables[*name].indexes;
      const std::string id = *name + "." + row.text(2);
      if (id != last) indexes.push_back({{}, row.integer(3) == 0});
      last = id;
      indexes.back().columns.push_back(row.null(4) ? "expression" : lower(row.text(4)));
    });
  }

  void read_rows() {
    if (catalog_.tables.contains("upgrade_steps")) {
      session_.query(statements::upgrade_steps, {}, 1, [&](const Row& row) {
        catalog_.upgrade_steps.emplace_back(static_cast<int>(row.integer(1)), static_cast<int>(row.integer(2)));
      });
    }
    if (catalog_.tables.contains("users")) {
      session_.query(statements::internal_users, {}, 1, [&](const Row& row) { catalog_.users.push_back(row.text(1)); });
    }
    if (catalog_.tables.contains("headername")) {
      session_.query(statements::header_names, {}, 1,
                     [&](const Row& row) { catalog_.header_names.push_back(row.text(2)); });
    }
  }

  void check_version(SchemaReport& report) const {
    const std::string& version = session_.server().version;
    const auto dot = version.find('.');
    const auto blank = version.find(' ');
    int major = 0;
    int minor = 0;
    std::from_chars(version.data() + blank + 1, version.data() + version.size(), major);
    if (dot != std::string::npos) std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
    const bool known = session_.server().mariadb ? major > 10 || (major == 10 && minor >= 6) : major >= 8;
    if (!known) report.problems.push_back(version + " is too old: MySQL 8.0 or MariaDB 10.6 is needed");
  }

  void check_engines(SchemaReport& report) const {
    const bool compressed_read_only = is_on("innodb_read_only_compressed");
    for (const auto& [table, engine] : engines_) {
      const std::string full = session_.prefix() + table;
      if (engine != "InnoDB") {
        report.problems.push_back("table " + full + " is " + engine + ", not InnoDB: ALTER TABLE " + full +
                                  " ENGINE=InnoDB");
      }
      if (compressed_read_only && catalog_.tables.at(table).row_format == "compressed") {
        report.problems.push_back("table " + full +
                                  " is ROW_FORMAT=COMPRESSED and this server refuses to write such tables: " +
                                  "ALTER TABLE " + full + " ROW_FORMAT=DYNAMIC, or innodb_read_only_compressed=OFF");
      }
    }
  }

  void check_collations(SchemaReport& report) const {
    for (const std::string_view name : {"aliases.alias", "users.userid", "mailboxes.name"}) {
      const auto found = collations_.find(name);
      if (found == collations_.end() || found->second.empty() || found->second.ends_with("_ci")) continue;
      report.problems.push_back("column " + session_.prefix() + std::string(name) + " has the collation " +
                                found->second +
                                ", but addresses and mailboxes are looked up without case: give it utf8mb4_general_ci");
    }
  }

  void check_durability(SchemaReport& report) const {
    if (is_on("log_bin") && variable("binlog_format") == "STATEMENT") {
      report.problems.push_back(
          "binlog_format=STATEMENT cannot log READ COMMITTED transactions: set it to ROW or MIXED");
    }
    if (variable("innodb_flush_log_at_trx_commit") != "1") {
      report.remarks.push_back("innodb_flush_log_at_trx_commit=" + variable("innodb_flush_log_at_trx_commit") +
                               ": mail acknowledged in the last second may be lost when the machine fails; 1 is safe");
    }
    if (is_on("log_bin") && variable("sync_binlog") == "0") {
      report.remarks.push_back(
          "sync_binlog=0: a replica may miss acknowledged mail after the machine failed; 1 is safe");
    }
  }

  [[nodiscard]] std::string variable(std::string_view name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? "" : found->second;
  }
  [[nodiscard]] bool is_on(std::string_view name) const { return variable(name) == "ON" || variable(name) == "1"; }

  Session& session_;
  const std::string prefix_;
  schema::Catalog catalog_;
  std::map<std::string, std::string> engines_;                  // table → storage engine
  std::map<std::string, std::string, std::less<>> collations_;  // "table.column" → collation
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace

SchemaReport check_catalog(Session& session) {
  SchemaReport report;
  report.server = session.server().version;
  Reading reading(session);
  reading.run();
  schema::compare(schema::Engine::mysql, reading.catalog(), session.prefix(), report);
  reading.judge(report);
  check_privileges(session, report);
  return report;
}

std::size_t count_tables(Session& session) {
  const std::string prefix = lower(session.prefix());
  std::size_t count = 0;
  session.query(statements::catalog_tables, {}, 1, [&](const Row& row) {
    if (lower(row.text(1)).starts_with(prefix)) ++count;
  });
  return count;
}

}  // namespace storage::mysql
