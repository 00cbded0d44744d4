#include "storage/memory/connection.h"

#include <exception>

#include "storage/batch/batch_store.h"

namespace storage::memory {

Connection::Connection(Store& store, const Options& options)
    : options_(options), tables_(store, options_.statement_hook), directory_(store, options_.statement_hook) {}

template <typename Work>
Status Connection::guarded(Work work) {
  if (!usable_) return Status(Reason::unavailable, "the connection is lost");
  try {
    work();
    return Status();
  } catch (...) {
    const Status status = failure();
    tables_.rollback();
    tables_.drop_caches();
    return status;
  }
}

Status Connection::failure() {
  try {
    throw;
  } catch (const InjectedFault& fault) {
    if (!fault.connection_lost()) return Status(Reason::conflict, fault.what());
    usable_ = false;
    return Status(tables_.committing() ? Reason::in_doubt : Reason::unavailable, fault.what());
  } catch (const ParentGone& fault) {
    return Status(Reason::conflict, fault.what());
  } catch (const std::exception& fault) {
    return Status(Reason::internal, fault.what());
  } catch (...) {
    return Status(Reason::internal, "unknown exception");
  }
}

Status Connection::resolve(std::span<const Address> in, std::span<Resolution> out) {
  return guarded([&] { directory::resolve(directory_, options_, in, out); });
}

Status Connection::store(std::span<const Delivery> batch, std::span<TargetOutcome> out) {
  return guarded([&] { batch::store_batch(tables_, batch, out, options_); });
}

Status Connection::settle(std::span<TargetOutcome> outcomes) {
  return guarded([&] { batch::settle_outcomes(tables_, outcomes); });
}

Status Connection::ping() {
  return guarded([] {});
}

}  // namespace storage::memory
