// bench/ceiling/raw_writer.h: rows into tables by bare INSERT statements through the engine's client library, and
// COMMIT: no look-up, no lock, no hook, no UPDATE of sequences and quota. One connection, one thread. Throws
// std::runtime_error or the library's exceptions.
#pragma once

#include <memory>

#include "bench/ceiling/raw_batch.h"
#include "storage/options.h"

namespace bench::ceiling {

class RawWriter {
 public:
  virtual ~RawWriter() = default;

  // lower-case name → id.
  [[nodiscard]] virtual storage::batch::HeaderNames header_names() = 0;
  // Ids above all that are used; nobody else draws ids below `first + count` of each table afterwards.
  [[nodiscard]] virtual NextIds reserve(std::size_t count) = 0;
  // What can be done before the clock starts.
  virtual void prepare(const RawBatch& batch) = 0;
  // One transaction; returns when it is committed.
  virtual void write(const RawBatch& batch) = 0;
};

// Throws std::invalid_argument for an engine that was not built.
[[nodiscard]] std::unique_ptr<RawWriter> make_raw_writer(const storage::Options& options);

// Of raw_<engine>.cc.
[[nodiscard]] std::unique_ptr<RawWriter> make_postgresql_writer(const storage::Options& options);
[[nodiscard]] std::unique_ptr<RawWriter> make_mysql_writer(const storage::Options& options);
[[nodiscard]] std::unique_ptr<RawWriter> make_sqlite_writer(const storage::Options& options);

}  // namespace bench::ceiling
