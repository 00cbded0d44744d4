// storage/mysql/binding.h: the values of one execution on a prepared statement; set on construction, taken off on
// destruction (the client library would keep copies of them until the next execution). Values above 256 KiB are
// streamed from where they are: binding them as strings would copy them twice. Lives on the stack around execute.
#pragma once

#include <cppconn/prepared_statement.h>

#include <istream>
#include <memory>
#include <span>
#include <streambuf>
#include <string_view>
#include <vector>

#include "storage/mysql/value.h"

namespace storage::mysql {

class Binding {
 public:
  Binding(sql::PreparedStatement& statement, std::span<const Value> values);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

 private:
  // Reads a view without copying it.
  class ViewBuffer : public std::streambuf {
   public:
    explicit ViewBuffer(std::string_view view);
  };
  struct Stream {
    explicit Stream(std::string_view view) : buffer(view), in(&buffer) {}
    ViewBuffer buffer;
    std::istream in;
  };

  void set(unsigned column, const Value& value);

  sql::PreparedStatement& statement_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace storage::mysql
