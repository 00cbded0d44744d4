#include "storage/mysql/privileges.h"

#include <set>
#include <string>
#include <string_view>

#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

constexpr std::string_view needed[] = {"SELECT", "INSERT", "UPDATE", "DELETE"};
// How information_schema names what the account holds other than on a whole database.
constexpr std::string_view elsewhere = "ELSEWHERE";

std::string missing_from(const std::set<std::string>& held) {
  std::string missing;
  for (const std::string_view privilege : needed) {
    if (held.contains(std::string(privilege))) continue;
    if (!missing.empty()) missing += ", ";
    missing += privilege;
  }
  return missing;
}

}  // namespace

void check_privileges(Session& session, SchemaReport& report) {
  std::set<std::string> held;
  std::string account;
  std::string database;
  session.query(statements::catalog_privileges, {}, 1, [&](const Row& row) {
    held.insert(row.text(1));
    account = row.text(2);
    database = row.text(3);
  });
  const std::string missing = missing_from(held);
  if (missing.empty()) return;
  if (held.contains(std::string(elsewhere)) || held.empty()) {
    report.remarks.push_back("the account's privileges come table by table or through a role: not checked; it needs SELECT, INSERT, "
                             "UPDATE, DELETE on all tables");
    return;
  }
  report.problems.push_back("the account " + account + " may not " + missing + " in this database: GRANT " + missing + " ON `" +
                            database + "`.* TO " + account);
}

}  // namespace storage::mysql
