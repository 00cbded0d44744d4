#include <nlohmann/json.hpp>

#include <ostream>

#include "lmtpd/ctl/commands.h"
#include "lmtpd/ctl/file_owner.h"

namespace lmtpd::ctl {

int schema_create(Session& session, const std::string& indexes) {
  const storage::IndexSet set = indexes == "lean" ? storage::IndexSet::lean : storage::IndexSet::dbmail;
  Session::require(session.admin().create_schema(set));
  const std::string fault = owner_fault(session.store_file, session.server_user);
  if (!fault.empty()) session.warn(fault);
  if (session.json) {
    session.print({{"created", true}, {"indexes", indexes}});
  } else {
    session.out() << "created the schema with the index set '" << indexes << "'\n";
  }
  return exit_yes;
}

int schema_check(Session& session) {
  storage::SchemaReport report;
  Session::require(session.driver().check_schema(report));
  const bool good = report.problems.empty();
  if (session.json) {
    session.print({{"ok", good}, {"server", report.server}, {"problems", report.problems}, {"remarks", report.remarks}});
    return good ? exit_yes : exit_no;
  }
  session.out() << report.server << '\n';
  for (const std::string& problem : report.problems) session.out() << "problem: " << problem << '\n';
  for (const std::string& remark : report.remarks) session.out() << "remark: " << remark << '\n';
  session.out() << (good ? "the schema is complete\n" : "the schema is not complete\n");
  return good ? exit_yes : exit_no;
}

}  // namespace lmtpd::ctl
