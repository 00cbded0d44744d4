// storage/mysql/store.h: storage::batch::Tables on a Session: each method one multi-row statement (insert_content one
// per table). Throws what the session throws. One thread; lives as long as its connection.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/batch/stepped_tables.h"
#include "storage/mysql/session.h"

namespace storage::mysql {

class Store final : public batch::SteppedTables {
 public:
  explicit Store(Session& session) : session_(session) {}

  void begin() override;
  void commit() override;
  void rollback() noexcept override;

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

  // COMMIT was sent and not answered by success.
  [[nodiscard]] bool committing() const { return committing_; }
  // ROLLBACK itself failed: the transaction's state is unknown.
  [[nodiscard]] bool lost() const { return lost_; }
  // After a failure: ids of header names and values may be stale, and no COMMIT is under way any more.
  void start_afresh() {
    header_names_loaded_ = false;
    known_values().clear();
    committing_ = false;
  }

 private:
  void insert_links(const batch::Content& content, const batch::ContentIds& ids);
  std::vector<MailboxId> mailbox_ids(std::span<const batch::MailboxName> names);

  Session& session_;
  std::map<std::string, batch::RowId, std::less<>> header_names_;
  bool header_names_loaded_ = false;
  bool committing_ = false;
  bool lost_ = false;
};

}  // namespace storage::mysql
