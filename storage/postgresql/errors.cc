#include "storage/postgresql/errors.h"

#include <new>
#include <pqxx/except>

#include "storage/fault_hook.h"

namespace storage::postgresql {
namespace {

struct Rule {
  std::string_view prefix;  // a whole SQLSTATE, or a class of them
  Verdict verdict;
};

// The first match counts: codes before their classes.
constexpr Rule rules[] = {
    {"40", {Reason::conflict, false}},     // deadlock 40P01, serialisation failure 40001
    {"55P03", {Reason::conflict, false}},  // lock_timeout
    // A reused part, value or header name was removed under our hands (clean-up tools delete by old lists): the next
    // attempt looks everything up again, so the mail is not lost.
    {"23503", {Reason::conflict, false}},
    // statement_timeout: the server is too slow now. Neither an immediate repetition nor many smaller statements would
    // help it.
    {"57014", {Reason::unavailable, false}},
    {"57P", {Reason::unavailable, true}},    // shutdown, crash, starting up, database dropped, idle session ended
    {"25P03", {Reason::unavailable, true}},  // idle_in_transaction_session_timeout
    {"25P04", {Reason::unavailable, true}},  // transaction_timeout, from PostgreSQL 17 on
    {"25006",
     {Reason::unavailable, true}},  // read-only: a standby after a failover; a new connection finds the primary
    {"08", {Reason::unavailable, true}},
    {"53100", {Reason::storage_full, false}},
    {"53200", {Reason::storage_full, false}},
    {"53", {Reason::unavailable, false}},
    {"58", {Reason::unavailable, false}},
    // A pooler gave us another server session, or the schema changed: prepared statements are gone; a fresh connection
    // works.
    {"26000", {Reason::conflict, true}},
    {"42P05", {Reason::conflict, true}},
    {"0A000", {Reason::conflict, true}},  // "cached plan must not change result type"
    {"22", {Reason::rejected_by_store, false}},
    {"23", {Reason::rejected_by_store, false}},
    {"54", {Reason::rejected_by_store, false}},
    {"P0", {Reason::rejected_by_store, false}},  // a trigger of the store's owner objects
    {"XX",
     {Reason::rejected_by_store, false}},  // "invalid memory alloc request size": splitting the batch finds the culprit
    {"28", {Reason::internal, true}},      // wrong password, no pg_hba.conf entry
    {"3D000", {Reason::internal, true}},   // no such database
    {"42", {Reason::internal, false}},     // missing table, column or privilege: the schema is not what was checked
};

std::string_view remedy(std::string_view sqlstate) {
  if (sqlstate == "42501")
    return " (the database role lacks a privilege: GRANT it, or connect as the owner of the schema)";
  if (sqlstate == "42P01" || sqlstate == "42703") return " (the schema is incomplete: lmtpctl schema check)";
  if (sqlstate.starts_with("28")) return " (check user and password in storage.uri, and pg_hba.conf)";
  if (sqlstate == "3D000") return " (create the database, or mend its name in storage.uri)";
  if (sqlstate == "08P01") return " (behind a pooler set storage.server_prepared_statements = false)";
  return "";
}

Translation translate_error(const Error& error, bool committing) {
  if (committing && error.connection_lost()) return {Status(Reason::in_doubt, error.what()), true};
  const Verdict verdict = verdict_for(error.sqlstate());
  return {Status(verdict.reason, error.what() + std::string(remedy(error.sqlstate()))),
          verdict.poisoned || error.connection_lost()};
}

Translation translate_injected(const InjectedFault& fault, bool committing) {
  if (!fault.connection_lost()) return {Status(Reason::conflict, fault.what()), false};
  return {Status(committing ? Reason::in_doubt : Reason::unavailable, fault.what()), true};
}

}  // namespace

Verdict verdict_for(std::string_view sqlstate) {
  if (sqlstate.empty()) return {Reason::unavailable, true};
  for (const Rule& rule : rules) {
    if (sqlstate.starts_with(rule.prefix)) return rule.verdict;
  }
  return {Reason::internal, false};
}

Translation translate(const std::exception_ptr& fault, bool committing) {
  const Reason unknown = committing ? Reason::in_doubt : Reason::internal;
  try {
    std::rethrow_exception(fault);
  } catch (const Error& error) {
    return translate_error(error, committing);
  } catch (const InjectedFault& injected) {
    return translate_injected(injected, committing);
  } catch (const Refused& refused) {
    return {Status(refused.reason(), refused.what()), false};
  } catch (const pqxx::broken_connection& error) {
    return {Status(committing ? Reason::in_doubt : Reason::unavailable, error.what()), true};
  } catch (const std::length_error& error) {
    return {Status(committing ? Reason::in_doubt : Reason::rejected_by_store, error.what()), committing};
  } catch (const std::bad_alloc&) {
    return {Status(committing ? Reason::in_doubt : Reason::unavailable, "out of memory"), committing};
  } catch (const std::exception& error) {
    return {Status(unknown, error.what()), true};
  } catch (...) {
    return {Status(unknown, "unknown exception"), true};
  }
}

}  // namespace storage::postgresql
