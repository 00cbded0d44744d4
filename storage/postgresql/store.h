// storage/postgresql/store.h: the tables of a batch (storage/batch/tables.h), each method one statement over arrays.
// Throws Error. One thread; lives as long as its Session and keeps what is worth keeping between batches: header names,
// spare ids.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/batch/stepped_tables.h"
#include "storage/postgresql/session.h"

namespace storage::postgresql {

class Store : public batch::SteppedTables {
 public:
  explicit Store(Session& session) : session_(session) {}

  // After a fault: what was cached may be the reason.
  void drop_caches();

  void begin() override { session_.begin(); }
  void commit() override { session_.commit(); }
  void rollback() noexcept override { session_.rollback(); }

  std::vector<MailboxId> create_mailboxes(std::span<const batch::MailboxName> names) override;
  const std::map<std::string, batch::RowId, std::less<>>& header_names(bool reload) override;
  void add_header_names(std::span<const std::string> sorted_names) override;

  std::vector<MessageId> find_messages(std::span<const batch::MessageKey> keys) override;
  std::vector<batch::RowId> find_parts(std::span<const batch::PartKey> keys) override;
  std::vector<batch::RowId> find_values(std::span<const batch::ValueRow> rows) override;
  batch::ContentIds insert_content(const batch::Content& content) override;

  std::vector<batch::MailboxState> lock_mailboxes(std::span<const MailboxId> ascending) override;
  std::vector<batch::UserState> lock_users(std::span<const UserId> ascending) override;
  void delete_content(std::span<const batch::RowId> physmessages, std::span<const batch::RowId> parts,
                      std::span<const batch::RowId> values) override;
  std::vector<MessageId> insert_messages(std::span<const batch::MessageRow> rows) override;
  void update_sequences(std::span<const batch::SeqUpdate> updates) override;
  void add_quota(std::span<const batch::QuotaUpdate> updates) override;

 private:
  // Ids drawn from a sequence and not used yet. Gaps are harmless; message_idnr is never drawn ahead.
  struct IdBlock {
    std::int64_t sequence = 0;  // oid
    std::vector<batch::RowId> spare;
    [[nodiscard]] std::vector<batch::RowId> take(std::size_t count);
  };

  void find_sequences();
  void fill_blocks(const std::array<std::size_t, 3>& wanted);
  void find_large_parts(std::span<const batch::PartKey> keys, std::vector<batch::RowId>& ids);

  Session& session_;
  bool header_names_loaded_ = false;
  std::map<std::string, batch::RowId, std::less<>> header_names_;
  std::array<IdBlock, 3> blocks_;  // physmessage, mimeparts, headervalue
};

}  // namespace storage::postgresql
