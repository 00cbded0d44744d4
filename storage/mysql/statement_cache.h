// storage/mysql/statement_cache.h: the prepared statements of one connection, least recently used first out. Bounded by
// count (a server has max_prepared_stmt_count, 16,382 by default, for everybody) and by placeholders (each costs the
// server memory). One thread.
#pragma once

#include <cppconn/connection.h>
#include <cppconn/prepared_statement.h>

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "storage/mysql/statement.h"

namespace storage::mysql {

class StatementCache {
 public:
  static constexpr std::size_t max_statements = 64;
  static constexpr std::size_t max_placeholders = 65536;

  // connection must outlive the cache. returning: the server has INSERT … RETURNING.
  StatementCache(sql::Connection& connection, std::string prefix, bool returning)
      : connection_(connection), prefix_(std::move(prefix)), returning_(returning) {}

  // Valid until the next call. statement must be one of statements.h (its address is the key).
  [[nodiscard]] sql::PreparedStatement& prepared(const Statement& statement, std::size_t rows);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Key = std::pair<const Statement*, std::size_t>;
  struct Entry {
    Key key;
    std::size_t placeholders = 0;
    std::unique_ptr<sql::PreparedStatement> statement;
  };

  void evict();

  sql::Connection& connection_;
  const std::string prefix_;
  const bool returning_;
  std::list<Entry> entries_;  // most recently used first
  std::map<Key, std::list<Entry>::iterator> index_;
  std::size_t placeholders_ = 0;
};

}  // namespace storage::mysql
