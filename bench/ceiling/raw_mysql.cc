#include <cppconn/connection.h>
#include <cppconn/datatype.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/ceiling/raw_writer.h"
#include "storage/mysql/binding.h"
#include "storage/mysql/endpoint.h"
#include "storage/mysql/session.h"
#include "storage/mysql/value.h"

namespace bench::ceiling {
namespace {

namespace batch = storage::batch;
using storage::mysql::Value;

// A multi-row INSERT: what stands before VALUES, and one row.
struct Insert {
  const char* into;
  const char* row;
  std::size_t columns;
};
constexpr Insert physmessages{"physmessage (id, messagesize, rfcsize, internal_date)", "(?,?,?,?)", 4};
constexpr Insert parts{"mimeparts (id, hash, data, size)", "(?,?,?,?)", 4};
constexpr Insert values{"headervalue (id, hash, headervalue, sortfield, datefield)", "(?,?,?,?,?)", 5};
constexpr Insert partlists{"partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id)",
                           "(?,?,?,?,?,?)", 6};
constexpr Insert headers{"header (physmessage_id, headername_id, headervalue_id)", "(?,?,?)", 3};
constexpr Insert references{"referencesfield (physmessage_id, referencesfield)", "(?,?)", 2};
constexpr Insert envelopes{"envelope (physmessage_id, envelope)", "(?,?)", 2};
constexpr Insert messages{
    "messages (mailbox_idnr, physmessage_id, seen_flag, answered_flag, deleted_flag, flagged_flag, recent_flag, "
    "draft_flag, unique_id, "
    "status, seq)",
    "(?,?,0,0,0,0,1,0,?,0,?)", 4};

std::int64_t as_integer(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

// One prepared statement for each table and number of rows, prepared before the clock starts; ids are chosen by us.
class MysqlWriter : public RawWriter {
 public:
  explicit MysqlWriter(const storage::Options& options)
      : prefix_(options.table_prefix),
        connection_(storage::mysql::connect_raw(storage::mysql::parse_endpoint(options), options)) {
    run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  }

  batch::HeaderNames header_names() override {
    batch::HeaderNames names;
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    const std::unique_ptr<sql::ResultSet> rows(
        statement->executeQuery("SELECT id, LOWER(headername) FROM " + prefix_ + "headername ORDER BY id"));
    while (rows->next()) names.emplace(rows->getString(2).asStdString(), rows->getInt64(1));
    return names;
  }

  // The auto increment counter of each table jumps over the whole block when its first row arrives.
  NextIds reserve(std::size_t) override {
    const auto next = [&](const std::string& table) {
      const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
      const std::unique_ptr<sql::ResultSet> rows(
          statement->executeQuery("SELECT COALESCE(MAX(id), 0) + 1 FROM " + prefix_ + table));
      rows->next();
      return rows->getInt64(1);
    };
    return {next("physmessage"), next("mimeparts"), next("headervalue")};
  }

  void prepare(const RawBatch& raw) override {
    each_table(raw, [&](const Insert& insert, const std::vector<Value>& row_values) {
      (void)prepared(insert, row_values.size() / insert.columns);
    });
  }

  void write(const RawBatch& raw) override {
    run("BEGIN");
    each_table(raw, [&](const Insert& insert, const std::vector<Value>& row_values) {
      sql::PreparedStatement& statement = prepared(insert, row_values.size() / insert.columns);
      const storage::mysql::Binding binding(statement, row_values);
      statement.executeUpdate();
    });
    run("COMMIT");  // Connection::commit() would ignore an error
  }

 private:
  void run(const std::string& sql) {
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    statement->execute(sql);
  }

  sql::PreparedStatement& prepared(const Insert& insert, std::size_t rows) {
    std::unique_ptr<sql::PreparedStatement>& statement = prepared_[{insert.into, rows}];
    if (!statement) {
      std::string sql = "INSERT INTO " + prefix_ + insert.into + " VALUES ";
      for (std::size_t i = 0; i < rows; ++i) sql.append(i == 0 ? "" : ",").append(insert.row);
      statement.reset(connection_->prepareStatement(sql));
    }
    return *statement;
  }

  template <typename Use>
  static void each_table(const RawBatch& raw, const Use& use) {
    std::vector<Value> row_values;
    const auto flush = [&](const Insert& insert) {
      if (!row_values.empty()) use(insert, row_values);
      row_values.clear();
    };
    add_blobs(raw, row_values, flush);
    add_links(raw, row_values, flush);
    for (const batch::MessageRow& row : raw.messages) {
      row_values.insert(row_values.end(), {row.mailbox, row.physmessage, row.unique_id, row.seq});
    }
    flush(messages);
  }

  template <typename Flush>
  static void add_blobs(const RawBatch& raw, std::vector<Value>& out, const Flush& flush) {
    const batch::Content& content = raw.content;
    for (std::size_t i = 0; i < content.physmessages.size(); ++i) {
      const batch::PhysmessageRow& row = content.physmessages[i];
      out.insert(out.end(),
                 {raw.ids.physmessages[i], as_integer(row.message_size), as_integer(row.rfc_size), row.internal_date});
    }
    flush(physmessages);
    for (std::size_t i = 0; i < content.parts.size(); ++i) {
      const batch::PartKey& row = content.parts[i];
      out.insert(out.end(), {raw.ids.parts[i], row.hash, row.data, as_integer(row.data.size())});
    }
    flush(parts);
    for (std::size_t i = 0; i < content.values.size(); ++i) {
      const batch::ValueRow& row = content.values[i];
      out.insert(out.end(),
                 {raw.ids.values[i], row.hash, row.value, row.sortfield, row.date.empty() ? Value() : Value(row.date)});
    }
    flush(values);
  }

  template <typename Flush>
  static void add_links(const RawBatch& raw, std::vector<Value>& out, const Flush& flush) {
    const batch::Content& content = raw.content;
    for (const batch::PartlistRow& row : content.partlists) {
      out.insert(out.end(), {raw.physmessage(row.physmessage), std::int64_t{row.is_header}, std::int64_t{row.key},
                             std::int64_t{row.depth}, std::int64_t{row.order}, raw.part(row.part)});
    }
    flush(partlists);
    for (const batch::HeaderRow& row : content.headers) {
      out.insert(out.end(), {raw.physmessage(row.physmessage), row.name, raw.value(row.value)});
    }
    flush(headers);
    for (const batch::TextRow& row : content.references)
      out.insert(out.end(), {raw.physmessage(row.physmessage), row.text});
    flush(references);
    for (const batch::TextRow& row : content.envelopes)
      out.insert(out.end(), {raw.physmessage(row.physmessage), row.text});
    flush(envelopes);
  }

  const std::string prefix_;
  std::unique_ptr<sql::Connection> connection_;
  // before connection_ in destruction
  std::map<std::pair<const char*, std::size_t>, std::unique_ptr<sql::PreparedStatement>> prepared_;
};

}  // namespace

std::unique_ptr<RawWriter> make_mysql_writer(const storage::Options& options) {
  return std::make_unique<MysqlWriter>(options);
}

}  // namespace bench::ceiling
