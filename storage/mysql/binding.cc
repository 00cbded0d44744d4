#include "storage/mysql/binding.h"

#include <cppconn/datatype.h>
#include <cppconn/exception.h>

namespace storage::mysql {
namespace {

constexpr std::size_t streamed_above = 256 * 1024;

}  // namespace

Binding::ViewBuffer::ViewBuffer(std::string_view view) {
  char* const begin = const_cast<char*>(view.data());  // setg wants it; a get area is only read
  setg(begin, begin, begin + view.size());
}

Binding::Binding(sql::PreparedStatement& statement, std::span<const Value> values) : statement_(statement) {
  unsigned column = 1;
  for (const Value& value : values) set(column++, value);
}

Binding::~Binding() {
  try {
    statement_.clearParameters();
  } catch (const sql::SQLException&) {
    // A dead connection has nothing to clear on the server; the copies go with the statement.
  }
}

void Binding::set(unsigned column, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    statement_.setInt64(column, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    if (text->size() <= streamed_above) {
      statement_.setString(column, sql::SQLString(text->data(), text->size()));
    } else {
      streams_.push_back(std::make_unique<Stream>(*text));
      statement_.setBlob(column, &streams_.back()->in);
    }
  } else {
    statement_.setNull(column, sql::DataType::UNKNOWN);
  }
}

}  // namespace storage::mysql
