// storage/batch/stepped_tables.h: the three strokes for engines without gain from fewer round trips (in process):
// each step is ONE statement (multi-row, bound parameters; its name is that of the
// method, storage/fault_hook.h). The strokes here call the steps in order; what each must do is said in tables.h.
#pragma once

#include <span>
#include <vector>

#include "storage/batch/tables.h"

namespace storage::batch {

class SteppedTables : public Tables {
 public:
  Survey survey(std::span<const MessageKey> keys, const Content& content) override;
  Claimed write(const Content& content, const Claim& claim, ContentIds& ids) override;
  std::vector<MessageId> publish(const Publication& publication) override;
  std::vector<MessageId> look_up_locked(std::span<const MailboxId> ascending,
                                        std::span<const MessageKey> keys) override;

  virtual void begin() = 0;
  virtual std::vector<MessageId> find_messages(std::span<const MessageKey> keys) = 0;
  virtual std::vector<RowId> find_parts(std::span<const PartKey> keys) = 0;
  virtual std::vector<RowId> find_values(std::span<const ValueRow> rows) = 0;
  virtual ContentIds insert_content(const Content& content) = 0;
  virtual std::vector<MailboxState> lock_mailboxes(std::span<const MailboxId> ascending) = 0;
  virtual std::vector<UserState> lock_users(std::span<const UserId> ascending) = 0;
  virtual std::vector<MessageId> insert_messages(std::span<const MessageRow> rows) = 0;
  virtual void update_sequences(std::span<const SeqUpdate> updates) = 0;
  virtual void add_quota(std::span<const QuotaUpdate> updates) = 0;
  virtual void commit() = 0;
};

}  // namespace storage::batch
