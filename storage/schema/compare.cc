#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "storage/schema/blueprint.h"
#include "storage/schema/needs.h"
#include "storage/schema/schema.h"

namespace storage::schema {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
  return text;
}

// An expression index as the engines print it, "lower((alias)::text)" or "(lower(`alias`))", in our spelling.
std::string plain_column(std::string column) {
  for (auto cast = column.find("::"); cast != std::string::npos; cast = column.find("::")) {
    const auto end = column.find_first_of(",)", cast);
    column.erase(cast, end == std::string::npos ? end : end - cast);
  }
  std::erase_if(column, [](char c) { return c == '"' || c == '`' || c == ' ' || c == '(' || c == ')'; });
  if (column.starts_with("lower") && column.size() > 5 && column != "lower") return "lower(" + column.substr(5) + ")";
  return column;
}

// Whether an index answers what another on these columns would: it begins with them, in whatever order. A unique index
// must have no further columns.
bool covers(const Index& index, const std::vector<std::string>& columns, bool unique) {
  if (unique && (!index.unique || index.columns.size() != columns.size())) return false;
  if (index.columns.size() < columns.size()) return false;
  std::vector<std::string> first(columns.size());
  std::transform(index.columns.begin(), index.columns.begin() + static_cast<std::ptrdiff_t>(columns.size()),
                 first.begin(), plain_column);
  return std::is_permutation(first.begin(), first.end(), columns.begin());
}

class Comparison {
 public:
  Comparison(Engine engine, const Catalog& found, std::string_view prefix, SchemaReport& report)
      : engine_(engine), found_(found), prefix_(prefix), report_(report) {}

  void run() {
    const Blueprint blueprint = read_blueprint(create_statements(engine_, IndexSet::lean, prefix_), prefix_);
    check_encoding();
    if (is_empty(blueprint)) {
      // One thing is wrong, not thirty.
      say_empty();
      return;
    }
    check_presence(blueprint);
    for (const BlueprintTable& wanted : blueprint.tables) {
      if (const Table* table = found_table(wanted.name)) check_table(wanted, *table);
    }
    check_rows();
  }

 private:
  [[nodiscard]] const Table* found_table(std::string_view name) const {
    const auto entry = found_.tables.find(std::string(name));
    return entry == found_.tables.end() ? nullptr : &entry->second;
  }
  [[nodiscard]] std::string full(std::string_view table) const { return prefix_ + std::string(table); }
  void problem(std::string line) { report_.problems.push_back(std::move(line)); }
  void remark(std::string line) { report_.remarks.push_back(std::move(line)); }
  void say(bool needed, std::string line) { needed ? problem(std::move(line)) : remark(std::move(line)); }

  [[nodiscard]] std::string_view folder() const {
    switch (engine_) {
      case Engine::sqlite:
        return "sqlite";
      case Engine::postgresql:
        return "postgresql";
      case Engine::mysql:
        return "mysql";
    }
    return {};
  }

  // UTF-8 text reaches the store as it is (PostgreSQL); on MySQL each column has a character set of its own, on SQLite
  // none.
  void check_encoding() {
    if (engine_ != Engine::postgresql || found_.database_charset == "UTF8") return;
    problem("the database's encoding is " + found_.database_charset +
            ", UTF8 is needed: dump it and restore it into a database created with ENCODING 'UTF8'");
  }

  [[nodiscard]] bool is_empty(const Blueprint& blueprint) const {
    return std::none_of(blueprint.tables.begin(), blueprint.tables.end(),
                        [&](const BlueprintTable& wanted) { return found_table(wanted.name) != nullptr; });
  }

  void say_empty() {
    std::vector<std::string> missing;
    for (const auto name : needs::tables) missing.push_back(full(name));
    problem("the database is empty: run \"lmtpctl schema create\", or correct storage.uri or storage.table_prefix (there is none of " +
            joined(missing, ", ") + ")");
  }

  void check_presence(const Blueprint& blueprint) {
    const std::string remedy = " is missing: create it as schema/" + std::string(folder()) + "/base.sql does";
    for (const BlueprintTable& wanted : blueprint.tables) {
      if (found_table(wanted.name) != nullptr) continue;
      const bool needed = needs::contains(needs::tables, wanted.name);
      say(needed, "table " + full(wanted.name) + remedy + (needed ? "" : "; DBMail's own services use it"));
    }
    for (const std::string& view : blueprint.views) {
      if (found_table(view) == nullptr) remark("view " + full(view) + remedy + "; DBMail's IMAP daemon sorts with it");
    }
  }

  void check_table(const BlueprintTable& wanted, const Table& table) {
    for (const BlueprintColumn& column : wanted.columns) check_column(wanted, column, table);
    for (const BlueprintIndex& index : wanted.indexes) check_index(wanted, index, table);
    if (!needs::contains(needs::tables, wanted.name)) return;
    for (const auto& [name, column] : table.columns) {
      if (wanted.column(name) == nullptr && !column.nullable && !column.has_default) {
        problem("column " + full(wanted.name) + "." + name +
                " is NOT NULL without a default, and lmtpd does not know it: give it a default or allow NULL");
      }
    }
    check_charset(wanted, table);
    if (wanted.name == "mimeparts") check_blobs(table);
  }

  void check_column(const BlueprintTable& wanted, const BlueprintColumn& column, const Table& table) {
    const std::string name = full(wanted.name) + "." + column.name;
    const auto entry = table.columns.find(column.name);
    if (entry == table.columns.end()) {
      const bool optional =
          std::any_of(needs::optional_columns.begin(), needs::optional_columns.end(),
                      [&](const auto& known) { return known.table == wanted.name && known.column == column.name; });
      const bool needed = needs::contains(needs::tables, wanted.name) && !optional;
      const bool needs_default = column.definition.find("NOT NULL") != std::string::npos &&
                                 column.definition.find("DEFAULT") == std::string::npos;
      say(needed, "column " + name + " is missing: ALTER TABLE " + full(wanted.name) + " ADD COLUMN " + column.name +
                      " " + column.definition + (needs_default ? " (and a DEFAULT, where the table has rows)" : "") +
                      (needed ? "" : "; DBMail's own services use it"));
    } else if (wanted.name == "headervalue" && column.name == "datefield" && !entry->second.nullable) {
      problem("column " + name + " is NOT NULL, but most headers have no date: allow NULL");
    }
  }

  void check_index(const BlueprintTable& wanted, const BlueprintIndex& index, const Table& table) {
    const auto is_missing_column = [&](const std::string& column) {
      return !column.starts_with("lower(") && !table.columns.contains(column);
    };
    if (std::any_of(index.columns.begin(), index.columns.end(), is_missing_column)) return;  // said already
    const auto is_cover = [&](const Index& found) { return covers(found, index.columns, index.unique); };
    if (std::any_of(table.indexes.begin(), table.indexes.end(), is_cover)) return;
    const std::string columns = joined(index.columns, ",");
    const bool needed = std::any_of(needs::indexes.begin(), needs::indexes.end(), [&](const auto& known) {
      return known.table == wanted.name && known.columns == columns;
    });
    const std::string kind = index.unique ? "unique index" : "index";
    std::string remedy = index.statement;
    if (remedy.empty()) {
      remedy = std::string(index.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ") + full(wanted.name) + "_" +
               joined(index.columns, "_") + " ON " + full(wanted.name) + " (" + joined(index.columns, ", ") + ")";
    }
    say(needed, kind + " on " + full(wanted.name) + " (" + joined(index.columns, ", ") + ") is missing" +
                    (needed ? "" : ", which makes something slower or leaves a rule to chance") + ": " + remedy);
  }

  void check_charset(const BlueprintTable& wanted, const Table& table) {
    if (engine_ != Engine::mysql) return;
    std::vector<std::string> wrong;
    std::string charset;
    for (const auto& [name, column] : table.columns) {
      if (column.charset.empty() || column.charset == "utf8mb4" || needs::contains(needs::ascii_columns, name))
        continue;
      wrong.push_back(name);
      charset = column.charset;
    }
    if (wrong.empty()) return;
    problem("table " + full(wanted.name) + " holds text (" + joined(wrong, ", ") + ") in " + charset +
            ", utf8mb4 is needed: ALTER TABLE " + full(wanted.name) + " CONVERT TO CHARACTER SET utf8mb4");
  }

  void check_blobs(const Table& table) {
    const auto data = table.columns.find("data");
    const std::string name = full("mimeparts");
    if (engine_ == Engine::mysql && data != table.columns.end() && data->second.type != "longblob") {
      problem("column " + name + ".data is " + data->second.type + ", too small for mail: ALTER TABLE " + name +
              " MODIFY data longblob");
    }
    if (table.row_format == "compressed") {
      remark("table " + name + " is ROW_FORMAT=COMPRESSED, which costs time with every message: ALTER TABLE " + name +
             " ROW_FORMAT=DYNAMIC");
    }
  }

  void check_rows() {
    if (found_table("upgrade_steps") != nullptr) check_upgrade_steps();
    if (found_table("users") != nullptr) {
      for (const auto name : needs::users) {
        if (needs::contains(found_.users, name)) continue;
        problem("DBMail's internal user \"" + std::string(name) + "\" is missing: INSERT INTO " + full("users") +
                " (userid, passwd, encryption_type) VALUES ('" + std::string(name) + "', '', 'md5')");
      }
    }
    if (found_table("headername") != nullptr) {
      for (const auto name : needs::header_names) check_header_name(name, true);
      check_header_name("message-id", false);
    }
  }

  void check_header_name(std::string_view name, bool needed) {
    if (needs::contains(found_.header_names, name)) return;
    say(needed, "header name \"" + std::string(name) +
                    "\" is missing, so that header is not cached and IMAP clients that ask for it " +
                    "get nothing: INSERT INTO " + full("headername") + " (headername) VALUES ('" + std::string(name) +
                    "')");
  }

  void check_upgrade_steps() {
    for (const auto& step : needs::upgrade_steps) {
      if (needs::contains(found_.upgrade_steps, std::pair(step.from, step.to))) continue;
      const std::string what = "upgrade step " + std::to_string(step.from) + " to " + std::to_string(step.to) +
                               " is not recorded in " + full("upgrade_steps") + ": ";
      say(step.needed, what + (step.needed ? "let DBMail's own daemons upgrade the store first"
                                           : "DBMail 3.5 will run it at its next start"));
    }
  }

  const Engine engine_;
  const Catalog& found_;
  const std::string prefix_;
  SchemaReport& report_;
};

}  // namespace

void compare(Engine engine, const Catalog& found, std::string_view prefix, SchemaReport& report) {
  Comparison(engine, found, prefix, report).run();
}

}  // namespace storage::schema
