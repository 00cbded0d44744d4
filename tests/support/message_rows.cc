#include "tests/support/message_rows.h"

#include <stdexcept>

namespace testing_support {
namespace {

std::string from_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

// Hexadecimal, so that no client's idea of text and binary columns changes an octet.
std::string hex_of_blob(Engine engine, const std::string& column) {
  return engine == Engine::postgresql ? "encode(" + column + ", 'hex')" : "hex(" + column + ")";
}
std::string hex_of_text(Engine engine, const std::string& column) {
  return engine == Engine::postgresql ? "encode(convert_to(" + column + ", 'UTF8'), 'hex')" : "hex(" + column + ")";
}

std::int32_t number(const std::optional<std::string>& text) {
  return std::stoi(text.value());
}

void read_sizes(SqlClient& sql, const std::string& id, MessageRows& out) {
  const auto found = sql.query("SELECT messagesize, rfcsize, internal_date FROM dbmail_physmessage WHERE id = " + id);
  if (found.size() != 1) throw std::runtime_error("no physmessage " + id);
  out.message_size = std::stoull(found[0][0].value());
  out.rfc_size = std::stoull(found[0][1].value());
  out.internal_date = found[0][2].value();
}

void read_parts(SqlClient& sql, Engine engine, const std::string& id, MessageRows& out) {
  for (const SqlRow& row :
       sql.query("SELECT l.part_key, l.part_depth, l.part_order, l.is_header, m.size, rtrim(m.hash), " +
                 hex_of_blob(engine, "m.data") +
                 " FROM dbmail_partlists l JOIN dbmail_mimeparts m ON m.id = l.part_id WHERE l.physmessage_id = " + id +
                 " ORDER BY l.part_key, l.part_order, l.part_depth DESC")) {
    out.parts.push_back({number(row[0]), number(row[1]), number(row[2]), number(row[3]) != 0,
                         std::stoull(row[4].value()), row[5].value(), from_hex(row[6].value())});
  }
}

void read_headers(SqlClient& sql, Engine engine, const std::string& id, MessageRows& out) {
  for (const SqlRow& row : sql.query(
           "SELECT n.headername, " + hex_of_text(engine, "v.headervalue") + ", " + hex_of_text(engine, "v.sortfield") +
           ", v.datefield, rtrim(v.hash) FROM dbmail_header h JOIN dbmail_headername n ON n.id = h.headername_id "
           "JOIN dbmail_headervalue v ON v.id = h.headervalue_id WHERE h.physmessage_id = " +
           id)) {
    out.headers.push_back({row[0].value(), from_hex(row[1].value()), from_hex(row[2].value()),
                           row[3].value_or("").substr(0, 10), row[4].value()});
  }
}

// table: envelope or referencesfield, whose text column has the name of the table.
std::vector<std::string> read_texts(SqlClient& sql, Engine engine, const std::string& table, const std::string& id) {
  std::vector<std::string> out;
  for (const SqlRow& row : sql.query("SELECT " + hex_of_text(engine, table) + " FROM dbmail_" + table +
                                     " WHERE physmessage_id = " + id + " ORDER BY id")) {
    out.push_back(from_hex(row[0].value()));
  }
  return out;
}

}  // namespace

MessageRows rows_of(const storage::Message& message) {
  MessageRows rows;
  rows.message_size = message.message_size;
  rows.rfc_size = message.rfc_size;
  rows.internal_date = message.internal_date;
  for (const storage::Part& part : message.parts) {
    rows.parts.push_back({part.key, part.depth, part.order, part.is_header, part.data.length, part.hash,
                          std::string(message.blob(part))});
  }
  for (const storage::HeaderField& field : message.headers)
    rows.headers.push_back({field.name, field.value, field.sortfield, field.date.value_or(""), field.hash});
  rows.references = message.references;
  rows.envelopes = {message.envelope};
  return rows;
}

MessageRows read_rows(SqlClient& sql, Engine engine, std::int64_t physmessage) {
  const std::string id = std::to_string(physmessage);
  MessageRows rows;
  read_sizes(sql, id, rows);
  read_parts(sql, engine, id, rows);
  read_headers(sql, engine, id, rows);
  rows.references = read_texts(sql, engine, "referencesfield", id);
  rows.envelopes = read_texts(sql, engine, "envelope", id);
  return rows;
}

std::vector<storage::PartView> views_of(const MessageRows& rows) {
  std::vector<storage::PartView> views;
  for (const PartRow& part : rows.parts) views.push_back({part.key, part.depth, part.order, part.is_header, part.data});
  return views;
}

}  // namespace testing_support
