// storage/mysql/rows.h: a batch's rows as the values of statements.h's INSERTs and UPDATEs, row after row. Pure; the
// values view the batch.
#pragma once

#include <span>
#include <vector>

#include "storage/batch/tables.h"
#include "storage/mysql/value.h"

namespace storage::mysql {

[[nodiscard]] std::vector<Value> rows_of(std::span<const batch::PhysmessageRow> rows);
[[nodiscard]] std::vector<Value> rows_of(std::span<const batch::PartKey> rows);
[[nodiscard]] std::vector<Value> rows_of(std::span<const batch::ValueRow> rows);

// Rows that refer to those above, of which ids tells the new ones.
[[nodiscard]] std::vector<Value> rows_of(std::span<const batch::PartlistRow> rows, const batch::ContentIds& ids);
[[nodiscard]] std::vector<Value> rows_of(std::span<const batch::HeaderRow> rows, const batch::ContentIds& ids);
[[nodiscard]] std::vector<Value> reference_rows(std::span<const batch::TextRow> rows, const batch::ContentIds& ids);
// An envelope that is longer than its column is stored as an empty one: cut, it would not be well-formed. Clients then
// ask for the header.
[[nodiscard]] std::vector<Value> envelope_rows(std::span<const batch::TextRow> rows, const batch::ContentIds& ids);

[[nodiscard]] std::vector<Value> rows_of(std::span<const batch::MessageRow> rows);

// For Session::change and Script::change.
struct Changes {
  std::vector<Value> rows;
  std::vector<Value> keys;
};
[[nodiscard]] Changes changes_of(std::span<const batch::SeqUpdate> updates);
[[nodiscard]] Changes changes_of(std::span<const batch::QuotaUpdate> updates);

}  // namespace storage::mysql
