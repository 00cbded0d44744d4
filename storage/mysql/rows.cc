#include "storage/mysql/rows.h"

namespace storage::mysql {
namespace {

// `text` columns of this engine end here.
constexpr std::size_t max_text = 65535;
constexpr std::string_view empty_envelope = "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)";

batch::RowId row_id(const batch::RowRef& ref, const std::vector<batch::RowId>& inserted) {
  return ref.id != 0 ? ref.id : inserted.at(ref.index);
}

std::int64_t as_integer(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::vector<Value> rows_of(std::span<const batch::PhysmessageRow> rows) {
  std::vector<Value> out;
  for (const auto& row : rows) {
    out.insert(out.end(), {as_integer(row.message_size), as_integer(row.rfc_size), row.internal_date});
  }
  return out;
}

std::vector<Value> rows_of(std::span<const batch::PartKey> rows) {
  std::vector<Value> out;
  for (const auto& row : rows) out.insert(out.end(), {row.hash, row.data, as_integer(row.data.size())});
  return out;
}

std::vector<Value> rows_of(std::span<const batch::ValueRow> rows) {
  std::vector<Value> out;
  for (const auto& row : rows) {
    out.insert(out.end(), {row.hash, row.value, row.sortfield, row.date.empty() ? Value() : Value(row.date)});
  }
  return out;
}

std::vector<Value> rows_of(std::span<const batch::PartlistRow> rows, const batch::ContentIds& ids) {
  std::vector<Value> out;
  for (const auto& row : rows) {
    out.insert(out.end(), {ids.physmessages.at(row.physmessage), std::int64_t{row.is_header}, std::int64_t{row.key},
                           std::int64_t{row.depth}, std::int64_t{row.order}, row_id(row.part, ids.parts)});
  }
  return out;
}

std::vector<Value> rows_of(std::span<const batch::HeaderRow> rows, const batch::ContentIds& ids) {
  std::vector<Value> out;
  for (const auto& row : rows) {
    out.insert(out.end(), {ids.physmessages.at(row.physmessage), row.name, row_id(row.value, ids.values)});
  }
  return out;
}

std::vector<Value> reference_rows(std::span<const batch::TextRow> rows, const batch::ContentIds& ids) {
  std::vector<Value> out;
  for (const auto& row : rows) out.insert(out.end(), {ids.physmessages.at(row.physmessage), row.text});
  return out;
}

std::vector<Value> envelope_rows(std::span<const batch::TextRow> rows, const batch::ContentIds& ids) {
  std::vector<Value> out;
  for (const auto& row : rows) {
    const std::string_view text = row.text.size() <= max_text ? row.text : empty_envelope;
    out.insert(out.end(), {ids.physmessages.at(row.physmessage), text});
  }
  return out;
}

std::vector<Value> rows_of(std::span<const batch::MessageRow> rows) {
  std::vector<Value> out;
  for (const auto& row : rows) out.insert(out.end(), {row.mailbox, row.physmessage, row.unique_id, row.seq});
  return out;
}

Changes changes_of(std::span<const batch::SeqUpdate> updates) {
  Changes out;
  for (const auto& update : updates) {
    out.rows.insert(out.rows.end(), {update.mailbox, update.seq});
    out.keys.emplace_back(update.mailbox);
  }
  return out;
}

Changes changes_of(std::span<const batch::QuotaUpdate> updates) {
  Changes out;
  for (const auto& update : updates) {
    out.rows.insert(out.rows.end(), {update.user, update.octets});
    out.keys.emplace_back(update.user);
  }
  return out;
}

}  // namespace storage::mysql
