#include "storage/sqlite/connection.h"

#include <utility>

#include "storage/batch/batch_store.h"

namespace storage::sqlite {

Connection::Connection(const Options& options, std::shared_ptr<Checkpointer> checkpointer)
    : checkpointer_(std::move(checkpointer)), session_(options) {
  session_.on_commit([this](int pages) { checkpointer_->committed(pages); });
}

template <typename Work>
Status Connection::guarded(Work work) {
  if (!usable()) return Status(Reason::unavailable, "the connection is broken");
  try {
    session_.require_same_file();
    work();
    return Status();
  } catch (...) {
    store_.drop_caches();
    return session_.failure();
  }
}

Status Connection::resolve(std::span<const Address> in, std::span<Resolution> out) {
  return guarded([&] { directory::resolve(directory_, session_.options(), in, out); });
}

Status Connection::store(std::span<const Delivery> batch, std::span<TargetOutcome> out) {
  return guarded([&] {
    checkpointer_->before_transaction(session_);
    // DBMail's own schema gives ids of deleted rows out again; to ask costs no round trip here.
    store_.known_values().clear();
    batch::store_batch(store_, batch, out, session_.options());
  });
}

Status Connection::settle(std::span<TargetOutcome> outcomes) {
  return guarded([&] { batch::settle_outcomes(store_, outcomes); });
}

Status Connection::ping() {
  return guarded([&] { session_.execute(Statement::ping); });
}

}  // namespace storage::sqlite
