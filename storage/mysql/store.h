// storage/mysql/store.h: storage::batch::Tables on a Session: each stroke of a transaction a script, so one round trip
// (write: two), unless it is too large for a text. Throws what the session throws. One thread; lives as long as its
// connection.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/batch/tables.h"
#include "storage/mysql/session.h"

namespace storage::mysql {

class Store final : public batch::Tables {
 public:
  explicit Store(Session& session) : session_(session) {}

  std::vector<MailboxId> create_mailboxes(std::span<const batch::MailboxName> names) override;
  const std::map<std::string, batch::RowId, std::less<>>& header_names(bool reload) override;
  void add_header_names(std::span<const std::string> sorted_names) override;

  batch::Survey survey(std::span<const batch::MessageKey> keys, const batch::Content& content) override;
  batch::Claimed write(const batch::Content& content, const batch::Claim& claim, batch::ContentIds& ids) override;
  void delete_content(std::span<const batch::RowId> physmessages, std::span<const batch::RowId> parts,
                      std::span<const batch::RowId> values) override;
  std::vector<MessageId> publish(const batch::Publication& publication) override;
  void rollback() noexcept override;

  std::vector<MessageId> look_up_locked(std::span<const MailboxId> ascending,
                                        std::span<const batch::MessageKey> keys) override;

  // publish() failed, and the server may have executed its COMMIT.
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
  std::vector<MailboxId> mailbox_ids(std::span<const batch::MailboxName> names);

  Session& session_;
  std::map<std::string, batch::RowId, std::less<>> header_names_;
  bool header_names_loaded_ = false;
  bool committing_ = false;
  bool lost_ = false;
};

}  // namespace storage::mysql
