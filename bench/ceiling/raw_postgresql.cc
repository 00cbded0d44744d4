#include <libpq-fe.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/ceiling/raw_writer.h"
#include "storage/postgresql/arguments.h"
#include "storage/postgresql/conninfo.h"
#include "storage/postgresql/statements.h"

namespace bench::ceiling {
namespace {

namespace batch = storage::batch;
namespace pg = storage::postgresql;
using pg::Arguments;
using pg::Element;
using pg::int8_array;
using pg::octets_array;
using pg::text_array;

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, Clear>;

// The daemon's own array inserts, as prepared statements, a whole transaction in one pipeline: one round trip.
class PostgresqlWriter : public RawWriter {
 public:
  explicit PostgresqlWriter(const storage::Options& options)
      : prefix_(options.table_prefix), connection_(PQconnectdb(pg::conninfo(options).c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    for (const pg::Statement statement : inserts) {
      check(PQprepare(connection_.get(), name(statement), text(statement).c_str(), 0, nullptr));
    }
  }

  batch::HeaderNames header_names() override {
    batch::HeaderNames names;
    const ResultPtr rows = query("SELECT id, lower(headername) FROM " + prefix_ + "headername ORDER BY id");
    for (int i = 0; i < PQntuples(rows.get()); ++i) {
      names.emplace(PQgetvalue(rows.get(), i, 1), std::stoll(PQgetvalue(rows.get(), i, 0)));
    }
    return names;
  }

  NextIds reserve(std::size_t count) override {
    const auto next = [&](const std::string& table) {
      const std::string sequence = "'" + prefix_ + table + "_id_seq'";  // schema/postgresql/base.sql
      const ResultPtr first = query("SELECT nextval(" + sequence + ")");
      const RowId id = std::stoll(PQgetvalue(first.get(), 0, 0));
      (void)query("SELECT setval(" + sequence + ", " + std::to_string(id + static_cast<RowId>(count)) + ")");
      return id;
    };
    return {next("physmessage"), next("mimeparts"), next("headervalue")};
  }

  void prepare(const RawBatch&) override {}

  void write(const RawBatch& raw) override {
    if (PQenterPipelineMode(connection_.get()) == 0) fail();
    send_text("BEGIN");
    send_blobs(raw);
    send_links(raw);
    send_messages(raw);
    send_text("COMMIT");
    if (PQpipelineSync(connection_.get()) == 0) fail();
    drain();
    if (PQexitPipelineMode(connection_.get()) == 0) fail();
  }

 private:
  static constexpr std::array inserts = {pg::Statement::insert_physmessages, pg::Statement::insert_parts,
                                         pg::Statement::insert_values,       pg::Statement::insert_partlists,
                                         pg::Statement::insert_headers,      pg::Statement::insert_references,
                                         pg::Statement::insert_envelopes,    pg::Statement::insert_messages};

  static const char* name(pg::Statement statement) {
    return pg::statements[static_cast<std::size_t>(statement)].name.data();
  }

  [[nodiscard]] std::string text(pg::Statement statement) const {
    std::string sql(pg::statements[static_cast<std::size_t>(statement)].sql);
    for (std::size_t at = 0; (at = sql.find("{}", at)) != std::string::npos;) sql.replace(at, 2, prefix_);
    return sql;
  }

  [[noreturn]] void fail() const { throw std::runtime_error(PQerrorMessage(connection_.get())); }

  void check(PGresult* raw) const {
    const ResultPtr result(raw);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC) return;
    throw std::runtime_error(std::string(PQresStatus(status)) + " " + PQresultErrorMessage(result.get()));
  }

  ResultPtr query(const std::string& sql) const {
    ResultPtr result(PQexec(connection_.get(), sql.c_str()));
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) fail();
    return result;
  }

  void send_text(const char* sql) {
    if (PQsendQueryParams(connection_.get(), sql, 0, nullptr, nullptr, nullptr, nullptr, 1) == 0) fail();
  }

  void send(pg::Statement statement, const Arguments& arguments) {
    std::vector<const char*> values;
    std::vector<int> lengths;
    const std::vector<int> formats(arguments.values().size(), 1);
    for (const std::string& value : arguments.values()) {
      values.push_back(value.data());
      lengths.push_back(static_cast<int>(value.size()));
    }
    if (PQsendQueryPrepared(connection_.get(), name(statement), static_cast<int>(values.size()), values.data(),
                            lengths.data(), formats.data(), 1) == 0) {
      fail();
    }
  }

  void send_blobs(const RawBatch& raw) {
    const batch::Content& content = raw.content;
    if (!content.physmessages.empty()) {
      send(pg::Statement::insert_physmessages,
           std::move(Arguments()
                         .add(int8_array(raw.ids.physmessages))
                         .add(int8_array(content.physmessages, &batch::PhysmessageRow::message_size))
                         .add(int8_array(content.physmessages, &batch::PhysmessageRow::rfc_size))
                         .add(text_array(content.physmessages, &batch::PhysmessageRow::internal_date))));
    }
    if (!content.parts.empty()) {
      send(pg::Statement::insert_parts,
           std::move(Arguments()
                         .add(int8_array(raw.ids.parts))
                         .add(text_array(content.parts, &batch::PartKey::hash))
                         .add(octets_array(Element::bytea, content.parts, &batch::PartKey::data))));
    }
    if (!content.values.empty()) {
      send(pg::Statement::insert_values, std::move(Arguments()
                                                       .add(int8_array(raw.ids.values))
                                                       .add(text_array(content.values, &batch::ValueRow::hash))
                                                       .add(text_array(content.values, &batch::ValueRow::value))
                                                       .add(text_array(content.values, &batch::ValueRow::sortfield))
                                                       .add(text_array(content.values, &batch::ValueRow::date))));
    }
  }

  void send_links(const RawBatch& raw) {
    const batch::Content& content = raw.content;
    const auto physmessage = [&](const auto& row) { return raw.physmessage(row.physmessage); };
    if (!content.partlists.empty()) {
      send(pg::Statement::insert_partlists,
           std::move(Arguments()
                         .add(int8_array(content.partlists, physmessage))
                         .add(int8_array(content.partlists, &batch::PartlistRow::is_header))
                         .add(int8_array(content.partlists, &batch::PartlistRow::key))
                         .add(int8_array(content.partlists, &batch::PartlistRow::depth))
                         .add(int8_array(content.partlists, &batch::PartlistRow::order))
                         .add(int8_array(content.partlists,
                                         [&](const batch::PartlistRow& row) { return raw.part(row.part); }))));
    }
    if (!content.headers.empty()) {
      send(pg::Statement::insert_headers,
           std::move(Arguments()
                         .add(int8_array(content.headers, physmessage))
                         .add(int8_array(content.headers, &batch::HeaderRow::name))
                         .add(int8_array(content.headers,
                                         [&](const batch::HeaderRow& row) { return raw.value(row.value); }))));
    }
    const auto send_texts = [&](pg::Statement statement, const std::vector<batch::TextRow>& rows) {
      if (rows.empty()) return;
      send(statement,
           std::move(Arguments().add(int8_array(rows, physmessage)).add(text_array(rows, &batch::TextRow::text))));
    };
    send_texts(pg::Statement::insert_references, content.references);
    send_texts(pg::Statement::insert_envelopes, content.envelopes);
  }

  void send_messages(const RawBatch& raw) {
    if (raw.messages.empty()) return;
    send(pg::Statement::insert_messages, std::move(Arguments()
                                                       .add(int8_array(raw.messages, &batch::MessageRow::mailbox))
                                                       .add(int8_array(raw.messages, &batch::MessageRow::physmessage))
                                                       .add(text_array(raw.messages, &batch::MessageRow::unique_id))
                                                       .add(int8_array(raw.messages, &batch::MessageRow::seq))));
  }

  // Every statement has its result and a null behind it; the last of all is that of the sync.
  void drain() {
    for (bool synced = false; !synced;) {
      PGresult* const result = PQgetResult(connection_.get());
      if (result == nullptr) continue;
      synced = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
      check(result);
    }
  }

  const std::string prefix_;
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace

std::unique_ptr<RawWriter> make_postgresql_writer(const storage::Options& options) {
  return std::make_unique<PostgresqlWriter>(options);
}

}  // namespace bench::ceiling
