// storage/postgresql/spare_ids.h: ids of physmessage, mimeparts and headervalue, drawn from their sequences in blocks
// and not used yet, so that a batch knows its ids before it inserts and no insert waits for another's result. Gaps are
// harmless; message_idnr is never drawn ahead (UIDs must become visible in ascending order). One thread; lives as long
// as its Session.
#pragma once

#include <array>
#include <vector>

#include "storage/batch/tables.h"
#include "storage/postgresql/session.h"

namespace storage::postgresql {

class SpareIds {
 public:
  explicit SpareIds(Session& session) : session_(session) {}

  [[nodiscard]] bool enough_for(const batch::Content& content) const;
  // The statement that draws what content lacks, and some for the next batches; its answer goes to add(). The first
  // time it costs a round trip to find the sequences. Throws Error.
  [[nodiscard]] Session::Step draw_for(const batch::Content& content);
  void add(const Rows& drawn);
  // REQUIRES enough_for(content).
  [[nodiscard]] batch::ContentIds take_for(const batch::Content& content);
  void clear();

 private:
  struct Block {
    std::int64_t sequence = 0;  // oid
    std::vector<batch::RowId> spare;
    [[nodiscard]] std::vector<batch::RowId> take(std::size_t count);
  };

  void find_sequences();

  Session& session_;
  std::array<Block, 3> blocks_;  // physmessage, mimeparts, headervalue
};

}  // namespace storage::postgresql
