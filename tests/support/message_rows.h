// tests/support/message_rows.h: the rows of one message as plain values, to be compared: those that a decomposed
// message asks for, and those that a database holds, read by plain SQL. One thread; errors throw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/message.h"
#include "storage/reassembly.h"
#include "tests/support/sql_client.h"

namespace testing_support {

// partlists joined with mimeparts.
struct PartRow {
  std::int32_t key = 0;
  std::int32_t depth = 0;
  std::int32_t order = 0;
  bool is_header = false;
  std::uint64_t size = 0;  // the column, not data.size()
  std::string hash;
  std::string data;
};

// header joined with its name and value.
struct HeaderRow {
  std::string name;
  std::string value;
  std::string sortfield;
  std::string day;  // "YYYY-MM-DD"; empty: NULL
  std::string hash;
};

struct MessageRows {
  std::uint64_t message_size = 0;
  std::uint64_t rfc_size = 0;
  std::string internal_date;
  std::vector<PartRow> parts;  // in reading order
  std::vector<HeaderRow> headers;
  std::vector<std::string> references;
  std::vector<std::string> envelopes;
};

[[nodiscard]] MessageRows rows_of(const storage::Message& message);

// physmessage: physmessage.id in a store whose tables begin with dbmail_.
[[nodiscard]] MessageRows read_rows(SqlClient& sql, Engine engine, std::int64_t physmessage);

// For storage::reassemble; the views point into rows.
[[nodiscard]] std::vector<storage::PartView> views_of(const MessageRows& rows);

}  // namespace testing_support
