#include "storage/mysql/connection.h"

#include <exception>
#include <utility>

#include "storage/batch/batch_store.h"
#include "storage/directory/directory.h"
#include "storage/mysql/statements.h"

namespace storage::mysql {

Connection::Connection(const Endpoint& endpoint, const Options& options)
    : options_(options), session_(endpoint, options), store_(session_), directory_(session_) {}

Status Connection::resolve(std::span<const Address> in, std::span<Resolution> out) {
  try {
    directory::resolve(directory_, options_, in, out);
    return {};
  } catch (...) {
    return failed();
  }
}

Status Connection::store(std::span<const Delivery> batch, std::span<TargetOutcome> out) {
  try {
    batch::store_batch(store_, batch, out, options_);
    if (store_.lost()) usable_ = false;
    return {};
  } catch (...) {
    return failed();
  }
}

Status Connection::settle(std::span<TargetOutcome> outcomes) {
  try {
    batch::settle_outcomes(store_, outcomes);
    if (store_.lost()) usable_ = false;
    return {};
  } catch (...) {
    return failed();
  }
}

Status Connection::ping() {
  try {
    session_.run(statements::ping);
    return {};
  } catch (...) {
    return failed();
  }
}

Status Connection::failed() {
  Failure failure = translate(std::current_exception());
  if (store_.committing()) failure = at_commit(std::move(failure));
  if (failure.poisoned) {
    usable_ = false;
  } else {
    store_.rollback();  // a lock wait timeout rolls back the statement only
    if (store_.lost()) usable_ = false;
  }
  store_.start_afresh();  // a foreign key may have failed on a stale header name or value
  return {failure.reason, std::move(failure.detail)};
}

}  // namespace storage::mysql
