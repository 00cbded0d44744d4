// storage/batch/tables.h: what an engine does for a batch. A transaction is three strokes: survey (BEGIN, and what is
// there already), write (content, then locks and the look-up that counts) and publish (messages, sequences, quota,
// COMMIT); batch_store.cc holds their order, the deduplication and the quota arithmetic once for all engines. An engine
// answers a stroke in as few round trips as it can, at best one, whatever the number of messages; one that gains
// nothing from that derives from SteppedTables (stepped_tables.h) and implements single statements. Methods throw the
// engine's native exceptions; its store() catches and translates them. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/batch/known_values.h"
#include "storage/delivery.h"

namespace storage::batch {

// A copy of a message in a mailbox, by content (StoredKey without owning its text).
struct MessageKey {
  MailboxId mailbox = 0;
  std::string_view unique_id;
};

struct MailboxName {
  UserId user = 0;
  std::string_view name;
};

struct PartKey {
  std::string_view hash;
  std::string_view data;
};

// A row of mimeparts or headervalue: one that exists (id), or the index of one that this batch inserts.
struct RowRef {
  RowId id = 0;             // not 0: existing row
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

// What the store holds already, in the order of the questions; 0: nothing.
struct Survey {
  std::vector<MessageId> messages;
  std::vector<RowId> parts;
  std::vector<RowId> values;
};

// What the batch's messages will be added to, and the copies that must not be there yet. Ids ascend.
struct Claim {
  std::vector<MailboxId> mailboxes;
  std::vector<UserId> users;
  std::vector<MessageKey> keys;
};
struct Claimed {
  std::vector<MailboxState> mailboxes;  // those that exist, in order
  std::vector<UserState> users;         // likewise
  std::vector<MessageId> messages;      // per key; 0: not there
};

struct Publication {
  std::vector<MessageRow> messages;
  std::vector<SeqUpdate> sequences;
  std::vector<QuotaUpdate> quotas;
};

class Tables {
 public:
  virtual ~Tables() = default;

  // --- before the batch's transaction, each in a short one of its own ---
  // Creates the named mailboxes (permission 2, seq 1) and their subscriptions. A row that exists already (another
  // writer was faster) is left as it is; ids are read afterwards. out[i] is 0 when the user does not exist.
  virtual std::vector<MailboxId> create_mailboxes(std::span<const MailboxName> names) = 0;
  // lower-case name → id; loaded once per connection. reload: read again after a miss or a foreign key failure.
  virtual const std::map<std::string, RowId, std::less<>>& header_names(bool reload) = 0;
  // Adds lower-case names in sorted order, ignoring those that exist; header_names(true) afterwards has them.
  virtual void add_header_names(std::span<const std::string> sorted_names) = 0;

  // --- the transaction: survey, then write, then publish; rollback instead of what is left ---
  // Begins the transaction, then plain look-ups without locks.
  //
  // messages: message_idnr for each key, whatever the row's status.
  //
  // parts: a row with equal hash and equal data that a committed partlists row references. Data is compared octet by
  // octet (SHA-1 collides), by the engine or after reading the candidates.
  //
  // values: likewise a headervalue row that a committed header row references.
  virtual Survey survey(std::span<const MessageKey> keys, const Content& content) = 0;
  // Inserts content's rows; ids has the new ones, in order. Then locks the claimed mailboxes' rows and after them the
  // users', each in ascending id order, FOR UPDATE until COMMIT, and only then looks the keys up: it sees what whoever
  // held the locks before committed.
  virtual Claimed write(const Content& content, const Claim& claim, ContentIds& ids) = 0;
  // Deletes physmessages (their partlists, header, referencesfield and envelope rows go by cascade) and the given new
  // parts and values that nothing else uses; for deliveries that ended without a stored target.
  virtual void delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                              std::span<const RowId> values) = 0;
  // Inserts the messages (status 0, recent_flag 1, all other flags 0), sets the sequences, adds to the quotas and
  // commits. Ids ascend in row order. When it throws, either nothing is committed or the outcome is unknown; the engine
  // then reports in_doubt.
  virtual std::vector<MessageId> publish(const Publication& publication) = 0;
  virtual void rollback() noexcept = 0;

  // --- after a COMMIT whose answer was lost ---
  // In a transaction of its own: locks the mailboxes, which waits until the lost connection's transaction has ended one
  // way or the other, and looks the keys up.
  virtual std::vector<MessageId> look_up_locked(std::span<const MailboxId> ascending,
                                                std::span<const MessageKey> keys) = 0;

  // Header values that were found in the store lately. The engine clears it after a fault: what it remembers may be the
  // reason.
  [[nodiscard]] KnownValues& known_values() { return known_values_; }

 private:
  KnownValues known_values_;
};

}  // namespace storage::batch
