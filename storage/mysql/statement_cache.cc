#include "storage/mysql/statement_cache.h"

namespace storage::mysql {

sql::PreparedStatement& StatementCache::prepared(const Statement& statement, std::size_t rows) {
  const Key key{&statement, rows};
  if (const auto found = index_.find(key); found != index_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return *entries_.front().statement;
  }
  const bool returning = returning_ && !statement.id_column.empty();
  const std::string text = render(statement, prefix_, rows, returning);
  entries_.push_front(Entry{key, rows * columns(statement), nullptr});
  try {
    entries_.front().statement.reset(connection_.prepareStatement(text));
    index_.emplace(key, entries_.begin());
  } catch (...) {
    entries_.pop_front();
    throw;
  }
  placeholders_ += entries_.front().placeholders;
  evict();
  return *entries_.front().statement;
}

void StatementCache::evict() {
  while (entries_.size() > 1 && (entries_.size() > max_statements || placeholders_ > max_placeholders)) {
    placeholders_ -= entries_.back().placeholders;
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace storage::mysql
