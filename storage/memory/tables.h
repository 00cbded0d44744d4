// storage/memory/tables.h: batch::Tables over a Store. A transaction holds the store's mutex from begin() to commit()
// or rollback(), so transactions are serial, as on SQLite. Each method calls the statement hook once, so faults and
// counts work as on real engines.
#pragma once

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "storage/batch/stepped_tables.h"
#include "storage/fault_hook.h"
#include "storage/memory/store.h"

namespace storage::memory {

// A row that this batch reuses was removed meanwhile (a foreign key of a real engine): the batch may be tried again.
class ParentGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Tables : public batch::SteppedTables {
 public:
  Tables(Store& store, const StatementHook& hook) : store_(store), hook_(hook) {}

  void begin() override;
  void commit() override;
  void rollback() noexcept override;

  std::vector<MailboxId> create_mailboxes(std::span<const batch::MailboxName> names) override;
  const std::map<std::string, RowId, std::less<>>& header_names(bool reload) override;
  void add_header_names(std::span<const std::string> sorted_names) override;

  std::vector<MessageId> find_messages(std::span<const batch::MessageKey> keys) override;
  std::vector<RowId> find_parts(std::span<const batch::PartKey> keys) override;
  std::vector<RowId> find_values(std::span<const batch::ValueRow> rows) override;
  batch::ContentIds insert_content(const batch::Content& content) override;
  std::vector<batch::MailboxState> lock_mailboxes(std::span<const MailboxId> ascending) override;
  std::vector<batch::UserState> lock_users(std::span<const UserId> ascending) override;
  void delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                      std::span<const RowId> values) override;
  std::vector<MessageId> insert_messages(std::span<const batch::MessageRow> rows) override;
  void update_sequences(std::span<const batch::SeqUpdate> updates) override;
  void add_quota(std::span<const batch::QuotaUpdate> updates) override;

  // After a fault: what was cached may be the reason.
  void drop_caches() {
    header_names_.clear();
    known_values().clear();
  }

  // commit() was called and has not returned: the outcome is unknown.
  [[nodiscard]] bool committing() const { return committing_; }

 private:
  template <typename Work>
  auto statement(std::string_view name, Work&& work);
  void end();

  Store& store_;
  const StatementHook& hook_;
  std::unique_lock<std::mutex> transaction_;  // held: a transaction is open
  bool committing_ = false;
  std::map<std::string, RowId, std::less<>> header_names_;
};

}  // namespace storage::memory
