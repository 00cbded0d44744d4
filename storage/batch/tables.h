// storage/batch/tables.h: what an engine does for a batch, set by set. batch_store.cc holds the order of the steps, the deduplication
// and the quota arithmetic once for all engines; an engine implements each method as ONE statement (a constant number of round
// trips, multi-row, bound parameters) on its own connection. Methods throw the engine's native exceptions; the engine's store()
// catches and translates them. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/delivery.h"

namespace storage::batch {

using RowId = std::int64_t;  // 0: none

struct MailboxName {
  UserId user = 0;
  std::string_view name;
};

struct PartKey {
  std::string_view hash;
  std::string_view data;
};

struct ValueKey {
  std::string_view hash;
  std::string_view value;
};

// A row of mimeparts or headervalue: one that exists (id), or the index of one that this batch inserts.
struct RowRef {
  RowId id = 0;           // not 0: existing row
  std::uint32_t index = 0;  // id == 0: index into Content::parts / Content::values
};

struct PhysmessageRow {
  std::uint64_t message_size = 0;
  std::uint64_t rfc_size = 0;
  std::string_view internal_date;
};
struct ValueRow {
  std::string_view hash;
  std::string_view value;
  std::string_view sortfield;
  std::string_view date;  // "YYYY-MM-DD" or empty for NULL
};
struct PartlistRow {
  std::uint32_t physmessage = 0;  // index into Content::physmessages, here and below
  bool is_header = false;
  std::int32_t key = 0;
  std::int32_t depth = 0;
  std::int32_t order = 0;
  RowRef part;
};
struct HeaderRow {
  std::uint32_t physmessage = 0;
  RowId name = 0;
  RowRef value;
};
struct TextRow {  // referencesfield, envelope
  std::uint32_t physmessage = 0;
  std::string_view text;
};

// Everything but messages: the views point into the batch's deliveries and live as long as store() runs.
struct Content {
  std::vector<PhysmessageRow> physmessages;
  std::vector<PartKey> parts;
  std::vector<ValueRow> values;
  std::vector<PartlistRow> partlists;
  std::vector<HeaderRow> headers;  // distinct triples
  std::vector<TextRow> references;
  std::vector<TextRow> envelopes;
};
struct ContentIds {
  std::vector<RowId> physmessages;
  std::vector<RowId> parts;
  std::vector<RowId> values;
};

struct MailboxState {
  MailboxId id = 0;
  UserId owner = 0;
  std::int64_t seq = 0;
};
struct UserState {
  UserId id = 0;
  std::int64_t max_size = 0;  // 0: no limit
  std::int64_t used_size = 0;
};
struct MessageRow {
  MailboxId mailbox = 0;
  RowId physmessage = 0;
  std::string_view unique_id;
  std::int64_t seq = 0;
};
struct SeqUpdate {
  MailboxId mailbox = 0;
  std::int64_t seq = 0;  // the new value
};
struct QuotaUpdate {
  UserId user = 0;
  std::int64_t octets = 0;  // to add
};

class Tables {
 public:
  virtual ~Tables() = default;

  virtual void begin() = 0;
  // Throws when the outcome is unknown; the engine then reports in_doubt.
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  // --- before the batch's transaction, each in a short one of its own ---
  // Creates the named mailboxes (permission 2, seq 1) and their subscriptions. A row that exists already (another writer was faster)
  // is left as it is; ids are read afterwards. out[i] is 0 when the user does not exist.
  virtual std::vector<MailboxId> create_mailboxes(std::span<const MailboxName> names) = 0;
  // lower-case name → id; loaded once per connection. reload: read again after a miss or a foreign key failure.
  virtual const std::map<std::string, RowId, std::less<>>& header_names(bool reload) = 0;
  // Adds lower-case names in sorted order, ignoring those that exist; header_names(true) afterwards has them.
  virtual void add_header_names(std::span<const std::string> sorted_names) = 0;

  // --- inside the transaction, in this order ---
  // message_idnr for each key, whatever the row's status; 0: no such row. A plain look-up, no locks.
  virtual std::vector<MessageId> find_messages(std::span<const StoredKey> keys) = 0;
  // A row with equal hash and equal data that a committed partlists row references; 0: none. Data is compared octet by octet
  // (SHA-1 collides), by the engine or after reading the candidates.
  virtual std::vector<RowId> find_parts(std::span<const PartKey> keys) = 0;
  // Likewise for headervalue rows that a committed header row references.
  virtual std::vector<RowId> find_values(std::span<const ValueKey> keys) = 0;
  // Inserts all rows; returns the new ids, in order.
  virtual ContentIds insert_content(const Content& content) = 0;

  // Locks the rows FOR UPDATE in ascending id order until COMMIT; returns those that exist, in that order.
  virtual std::vector<MailboxState> lock_mailboxes(std::span<const MailboxId> ascending) = 0;
  virtual std::vector<UserState> lock_users(std::span<const UserId> ascending) = 0;
  // Deletes physmessages (their partlists, header, referencesfield and envelope rows go by cascade) and the given new parts and
  // values that nothing else uses; for deliveries that ended without a stored target.
  virtual void delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                              std::span<const RowId> values) = 0;
  // status 0, recent_flag 1, all other flags 0. Ids ascend in row order.
  virtual std::vector<MessageId> insert_messages(std::span<const MessageRow> rows) = 0;
  virtual void update_sequences(std::span<const SeqUpdate> updates) = 0;
  virtual void add_quota(std::span<const QuotaUpdate> updates) = 0;
};

}  // namespace storage::batch
