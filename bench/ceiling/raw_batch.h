// bench/ceiling/raw_batch.h: deliveries → the rows that the daemon would insert for them, with their ids already
// chosen: recorded from storage/batch itself, so they are the very same rows. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/ceiling/deliveries.h"
#include "storage/batch/content_builder.h"
#include "storage/batch/tables.h"

namespace bench::ceiling {

using storage::batch::RowId;

// One transaction. Its views point into the deliveries and into outcomes: it must not outlive the former.
struct RawBatch {
  storage::batch::Content content;
  storage::batch::ContentIds ids;
  std::vector<storage::batch::MessageRow> messages;
  std::vector<storage::TargetOutcome> outcomes;  // own the unique ids

  [[nodiscard]] RowId physmessage(std::uint32_t index) const { return ids.physmessages.at(index); }
  [[nodiscard]] RowId part(const storage::batch::RowRef& ref) const {
    return ref.id != 0 ? ref.id : ids.parts.at(ref.index);
  }
  [[nodiscard]] RowId value(const storage::batch::RowRef& ref) const {
    return ref.id != 0 ? ref.id : ids.values.at(ref.index);
  }
};

// The next id of each table with chosen ids.
struct NextIds {
  RowId physmessage = 1;
  RowId part = 1;
  RowId value = 1;
};

struct RawWork {
  RawBatch shared;  // parts and header values that several batches use; to be inserted first (no messages)
  std::vector<RawBatch> batches;
};

// The daemon finds a header value again that an earlier batch stored; here they are known beforehand.
[[nodiscard]] RawWork record(const std::vector<Batch>& batches, const storage::batch::HeaderNames& names,
                             NextIds& next);

// How many rows of each table the batches insert, for the report and the tests: table → rows.
[[nodiscard]] std::map<std::string, std::uint64_t> count_rows(std::span<const RawBatch> batches);

}  // namespace bench::ceiling
