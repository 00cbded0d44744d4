#include <sqlite3.h>

#include <array>
#include <stdexcept>
#include <string>

#include "bench/ceiling/raw_writer.h"
#include "storage/sqlite/session.h"

namespace bench::ceiling {
namespace {

namespace batch = storage::batch;

enum Table : std::size_t {
  physmessages,
  parts,
  values,
  partlists,
  headers,
  references,
  envelopes,
  messages,
  table_count
};

constexpr std::array<const char*, table_count> inserts = {
    "physmessage (id, messagesize, rfcsize, internal_date) VALUES (?,?,?,?)",
    "mimeparts (id, hash, data, size) VALUES (?,?,?,?)",
    "headervalue (id, hash, headervalue, sortfield, datefield) VALUES (?,?,?,?,?)",
    "partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id) VALUES (?,?,?,?,?,?)",
    "header (physmessage_id, headername_id, headervalue_id) VALUES (?,?,?)",
    "referencesfield (physmessage_id, referencesfield) VALUES (?,?)",
    "envelope (physmessage_id, envelope) VALUES (?,?)",
    "messages (mailbox_idnr, physmessage_id, unique_id, seq, status, recent_flag) VALUES (?,?,?,?,0,1)"};

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// Binds one row's values from left to right.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  Row& add(std::int64_t value) {
    sqlite3_bind_int64(statement_, ++column_, value);
    return *this;
  }
  Row& add(std::string_view text) {
    sqlite3_bind_text64(statement_, ++column_, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
    return *this;
  }
  Row& add_blob(std::string_view data) {
    sqlite3_bind_blob64(statement_, ++column_, data.data() == nullptr ? "" : data.data(), data.size(), SQLITE_STATIC);
    return *this;
  }
  Row& add_null() {
    sqlite3_bind_null(statement_, ++column_);
    return *this;
  }
  void run() {
    const int code = sqlite3_step(statement_);
    sqlite3_reset(statement_);
    if (code != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(sqlite3_db_handle(statement_)));
  }

 private:
  sqlite3_stmt* statement_;
  int column_ = 0;
};

class SqliteWriter : public RawWriter {
 public:
  explicit SqliteWriter(const storage::Options& options) : prefix_(options.table_prefix) {
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(storage::sqlite::database_path(options).c_str(), &database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(database);
    if (code != SQLITE_OK) throw std::runtime_error(sqlite3_errstr(code));
    sqlite3_busy_timeout(database_.get(), 10000);
    run("PRAGMA journal_mode = WAL");
    run(options.sqlite_synchronous == "EXTRA" ? "PRAGMA synchronous = EXTRA" : "PRAGMA synchronous = FULL");
    for (std::size_t i = 0; i < table_count; ++i) statements_[i].reset(compile("INSERT INTO " + prefix_ + inserts[i]));
  }

  batch::HeaderNames header_names() override {
    batch::HeaderNames names;
    const std::unique_ptr<sqlite3_stmt, Finalize> rows(
        compile("SELECT id, lower(headername) FROM " + prefix_ + "headername ORDER BY id"));
    while (sqlite3_step(rows.get()) == SQLITE_ROW) {
      names.emplace(reinterpret_cast<const char*>(sqlite3_column_text(rows.get(), 1)),
                    sqlite3_column_int64(rows.get(), 0));
    }
    return names;
  }

  NextIds reserve(std::size_t) override {
    const auto next = [&](const std::string& table) {
      const std::unique_ptr<sqlite3_stmt, Finalize> rows(
          compile("SELECT coalesce(max(id), 0) + 1 FROM " + prefix_ + table));
      sqlite3_step(rows.get());
      return sqlite3_column_int64(rows.get(), 0);
    };
    return {next("physmessage"), next("mimeparts"), next("headervalue")};
  }

  void prepare(const RawBatch&) override {}

  void write(const RawBatch& raw) override {
    run("BEGIN IMMEDIATE");
    write_blobs(raw);
    write_links(raw);
    for (const batch::MessageRow& row : raw.messages) {
      insert(messages).add(row.mailbox).add(row.physmessage).add(row.unique_id).add(row.seq).run();
    }
    run("COMMIT");
  }

 private:
  Row insert(Table table) { return Row(statements_[table].get()); }

  sqlite3_stmt* compile(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database_.get()));
    }
    return statement;
  }

  void run(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database_.get()));
    }
  }

  void write_blobs(const RawBatch& raw) {
    const batch::Content& content = raw.content;
    const auto size = [](std::uint64_t octets) { return static_cast<std::int64_t>(octets); };
    for (std::size_t i = 0; i < content.physmessages.size(); ++i) {
      const batch::PhysmessageRow& row = content.physmessages[i];
      insert(physmessages)
          .add(raw.ids.physmessages[i])
          .add(size(row.message_size))
          .add(size(row.rfc_size))
          .add(row.internal_date)
          .run();
    }
    for (std::size_t i = 0; i < content.parts.size(); ++i) {
      const batch::PartKey& row = content.parts[i];
      insert(parts).add(raw.ids.parts[i]).add(row.hash).add_blob(row.data).add(size(row.data.size())).run();
    }
    for (std::size_t i = 0; i < content.values.size(); ++i) {
      const batch::ValueRow& row = content.values[i];
      Row target = insert(values).add(raw.ids.values[i]).add(row.hash).add(row.value).add(row.sortfield);
      (row.date.empty() ? target.add_null() : target.add(row.date)).run();
    }
  }

  void write_links(const RawBatch& raw) {
    const batch::Content& content = raw.content;
    for (const batch::PartlistRow& row : content.partlists) {
      insert(partlists)
          .add(raw.physmessage(row.physmessage))
          .add(std::int64_t{row.is_header})
          .add(std::int64_t{row.key})
          .add(std::int64_t{row.depth})
          .add(std::int64_t{row.order})
          .add(raw.part(row.part))
          .run();
    }
    for (const batch::HeaderRow& row : content.headers) {
      insert(headers).add(raw.physmessage(row.physmessage)).add(row.name).add(raw.value(row.value)).run();
    }
    for (const batch::TextRow& row : content.references)
      insert(references).add(raw.physmessage(row.physmessage)).add(row.text).run();
    for (const batch::TextRow& row : content.envelopes)
      insert(envelopes).add(raw.physmessage(row.physmessage)).add(row.text).run();
  }

  const std::string prefix_;
  std::unique_ptr<sqlite3, Close> database_;
  std::array<std::unique_ptr<sqlite3_stmt, Finalize>, table_count> statements_;  // before database_ in destruction
};

}  // namespace

std::unique_ptr<RawWriter> make_sqlite_writer(const storage::Options& options) {
  return std::make_unique<SqliteWriter>(options);
}

}  // namespace bench::ceiling
