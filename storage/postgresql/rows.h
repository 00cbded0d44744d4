// storage/postgresql/rows.h: the answer to one statement: rows in binary form, or only a command tag. Owns the
// PGresult; the views that it gives live as long as it does. One thread.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace storage::postgresql {

class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result) {}

  [[nodiscard]] int size() const { return PQntuples(result_.get()); }
  // REQUIRES a column cast to int8 in the statement. Throws std::logic_error otherwise: a mistake in statements.h.
  [[nodiscard]] std::int64_t int8(int row, int column) const;
  // text, varchar, bytea: the octets as they are.
  [[nodiscard]] std::string_view octets(int row, int column) const;
  // Rows inserted, updated or deleted.
  [[nodiscard]] std::uint64_t affected() const;
  // "COMMIT", "INSERT 0 3" …
  [[nodiscard]] std::string_view command_tag() const { return PQcmdStatus(result_.get()); }

  [[nodiscard]] const PGresult* raw() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace storage::postgresql
