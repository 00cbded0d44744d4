// storage/postgresql/store.h: the tables of a batch (storage/batch/tables.h): each stroke one round trip (libpq's
// pipeline mode), each statement over arrays. Throws Error. One thread; lives as long as its Session and keeps what is
// worth keeping between batches: header names and values, spare ids.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/batch/tables.h"
#include "storage/postgresql/session.h"
#include "storage/postgresql/spare_ids.h"

namespace storage::postgresql {

class Store : public batch::Tables {
 public:
  explicit Store(Session& session) : session_(session), spare_ids_(session) {}

  // After a fault: what was cached may be the reason.
  void drop_caches();

  std::vector<MailboxId> create_mailboxes(std::span<const batch::MailboxName> names) override;
  const std::map<std::string, batch::RowId, std::less<>>& header_names(bool reload) override;
  void add_header_names(std::span<const std::string> sorted_names) override;

  batch::Survey survey(std::span<const batch::MessageKey> keys, const batch::Content& content) override;
  batch::Claimed write(const batch::Content& content, const batch::Claim& claim, batch::ContentIds& ids) override;
  void delete_content(std::span<const batch::RowId> physmessages, std::span<const batch::RowId> parts,
                      std::span<const batch::RowId> values) override;
  std::vector<MessageId> publish(const batch::Publication& publication) override;
  void rollback() noexcept override { session_.rollback(); }
  std::vector<MessageId> look_up_locked(std::span<const MailboxId> ascending,
                                        std::span<const batch::MessageKey> keys) override;

 private:
  void find_large_parts(std::span<const batch::PartKey> keys, std::vector<batch::RowId>& ids);

  Session& session_;
  bool header_names_loaded_ = false;
  std::map<std::string, batch::RowId, std::less<>> header_names_;
  SpareIds spare_ids_;
};

}  // namespace storage::postgresql
