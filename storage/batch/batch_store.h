// storage/batch/batch_store.h: one batch, one transaction: the order of the steps (DECISIONS.md), deduplication inside the batch,
// recognised redeliveries, quota in arrival order. The same for every engine; SQL is behind Tables. Runs on the lane's thread;
// exceptions of the engine pass through (the engine rolls back and translates).
#pragma once

#include <span>

#include "storage/batch/tables.h"
#include "storage/delivery.h"
#include "storage/options.h"

namespace storage::batch {

// begin … commit. Fills out (one per target, delivery-major) so that it is right even if commit() throws (provisional then).
void store_batch(Tables& tables, std::span<const Delivery> batch, std::span<TargetOutcome> out, const Options& options);

// Connection::settle for every engine.
void settle_outcomes(Tables& tables, std::span<TargetOutcome> outcomes);

}  // namespace storage::batch
