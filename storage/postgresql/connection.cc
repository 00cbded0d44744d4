#include "storage/postgresql/connection.h"

#include "storage/batch/batch_store.h"

namespace storage::postgresql {

Status Connection::resolve(std::span<const Address> in, std::span<Resolution> out) {
  try {
    directory::resolve(directory_, session_.options(), in, out);
    return {};
  } catch (...) {
    return session_.failure();
  }
}

Status Connection::store(std::span<const Delivery> batch, std::span<TargetOutcome> out) {
  try {
    batch::store_batch(store_, batch, out, session_.options());
    return {};
  } catch (...) {
    store_.drop_caches();
    return session_.failure();
  }
}

Status Connection::settle(std::span<TargetOutcome> outcomes) {
  try {
    batch::settle_outcomes(store_, outcomes);
    return {};
  } catch (...) {
    return session_.failure();
  }
}

Status Connection::ping() {
  try {
    session_.execute(Statement::ping);
    return {};
  } catch (...) {
    return session_.failure();
  }
}

}  // namespace storage::postgresql
