#include "bench/ceiling/raw_batch.h"

#include <string_view>
#include <unordered_map>

#include "storage/batch/batch_store.h"
#include "storage/batch/stepped_tables.h"

namespace bench::ceiling {
namespace {

namespace batch = storage::batch;

// Blobs and values that more than one batch uses, by hash (the generator makes no collisions).
class Shared {
 public:
  void see_part(const batch::PartKey& key) { see(parts_, key.hash); }
  void see_value(const batch::ValueRow& key) { see(values_, key.hash); }
  void end_of_batch() { ++batch_; }

  // 0: only one batch uses it. The first call for a shared one chooses its id and adds its row.
  RowId part(const batch::PartKey& key, NextIds& next, RawBatch& rows) {
    Use& use = parts_.at(key.hash);
    if (!use.shared) return 0;
    if (use.id == 0) {
      use.id = next.part++;
      rows.content.parts.push_back(key);
      rows.ids.parts.push_back(use.id);
    }
    return use.id;
  }
  RowId value(const batch::ValueRow& key) {
    const auto found = values_.find(key.hash);
    return found == values_.end() || !found->second.shared ? 0 : found->second.id;
  }
  void add_values(const batch::Content& content, NextIds& next, RawBatch& rows) {
    for (const batch::ValueRow& row : content.values) {
      Use& use = values_.at(row.hash);
      if (!use.shared || use.id != 0) continue;
      use.id = next.value++;
      rows.content.values.push_back(row);
      rows.ids.values.push_back(use.id);
    }
  }

 private:
  struct Use {
    std::size_t batch = 0;
    bool shared = false;
    RowId id = 0;
  };
  using Uses = std::unordered_map<std::string_view, Use>;

  void see(Uses& uses, std::string_view hash) {
    const auto [use, is_new] = uses.try_emplace(hash, Use{batch_, false, 0});
    if (!is_new && use->second.batch != batch_) use->second.shared = true;
  }

  std::size_t batch_ = 0;
  Uses parts_;
  Uses values_;
};

// Stands where an engine stands and writes down what it is told to insert. Has no mailbox to create and finds nothing
// stored.
class Recorder : public batch::SteppedTables {
 public:
  Recorder(const batch::HeaderNames& names, Shared& shared, NextIds& next)
      : names_(names), shared_(shared), next_(next) {}

  RawBatch rows;               // of this batch
  RawBatch* common = nullptr;  // null: only looks at what is used

  void begin() override {}
  void commit() override {}
  void rollback() noexcept override {}
  std::vector<storage::MailboxId> create_mailboxes(std::span<const batch::MailboxName> names) override {
    return std::vector<storage::MailboxId>(names.size(), 0);
  }
  const batch::HeaderNames& header_names(bool) override { return names_; }
  void add_header_names(std::span<const std::string>) override {}
  std::vector<storage::MessageId> find_messages(std::span<const batch::MessageKey> keys) override {
    return std::vector<storage::MessageId>(keys.size(), 0);
  }
  std::vector<RowId> find_parts(std::span<const batch::PartKey> keys) override {
    std::vector<RowId> ids(keys.size(), 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (common == nullptr) {
        shared_.see_part(keys[i]);
      } else {
        ids[i] = shared_.part(keys[i], next_, *common);
      }
    }
    return ids;
  }
  std::vector<RowId> find_values(std::span<const batch::ValueRow> keys) override {
    std::vector<RowId> ids(keys.size(), 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (common == nullptr) {
        shared_.see_value(keys[i]);
      } else {
        ids[i] = shared_.value(keys[i]);
      }
    }
    return ids;
  }
  batch::ContentIds insert_content(const batch::Content& content) override {
    rows.content = content;
    for (std::size_t i = 0; i < content.physmessages.size(); ++i) rows.ids.physmessages.push_back(next_.physmessage++);
    for (std::size_t i = 0; i < content.parts.size(); ++i) rows.ids.parts.push_back(next_.part++);
    for (std::size_t i = 0; i < content.values.size(); ++i) rows.ids.values.push_back(next_.value++);
    return rows.ids;
  }
  std::vector<batch::MailboxState> lock_mailboxes(std::span<const storage::MailboxId> ascending) override {
    std::vector<batch::MailboxState> states;
    for (const storage::MailboxId id : ascending) states.push_back({id, 1, 1});
    return states;
  }
  std::vector<batch::UserState> lock_users(std::span<const storage::UserId> ascending) override {
    std::vector<batch::UserState> states;
    for (const storage::UserId id : ascending) states.push_back({id, 0, 0});
    return states;
  }
  void delete_content(std::span<const RowId>, std::span<const RowId>, std::span<const RowId>) override {}
  std::vector<storage::MessageId> insert_messages(std::span<const batch::MessageRow> messages) override {
    rows.messages.assign(messages.begin(), messages.end());
    std::vector<storage::MessageId> ids;
    for (std::size_t i = 0; i < messages.size(); ++i) ids.push_back(static_cast<storage::MessageId>(i) + 1);
    return ids;
  }
  void update_sequences(std::span<const batch::SeqUpdate>) override {}
  void add_quota(std::span<const batch::QuotaUpdate>) override {}

 private:
  const batch::HeaderNames& names_;
  Shared& shared_;
  NextIds& next_;
};

RawBatch run_recorder(Recorder& recorder, const Batch& deliveries) {
  std::size_t targets = 0;
  for (const storage::Delivery& delivery : deliveries) targets += delivery.targets.size();
  std::vector<storage::TargetOutcome> outcomes(targets);
  batch::store_batch(recorder, deliveries, outcomes, storage::Options());
  recorder.rows.outcomes = std::move(outcomes);
  return std::move(recorder.rows);
}

}  // namespace

RawWork record(const std::vector<Batch>& batches, const storage::batch::HeaderNames& names, NextIds& next) {
  RawWork work;
  Shared shared;
  NextIds ignored;
  std::vector<RawBatch> seen;
  for (const Batch& deliveries : batches) {
    Recorder looker(names, shared, ignored);
    seen.push_back(run_recorder(looker, deliveries));
    shared.end_of_batch();
  }
  for (const RawBatch& rows : seen) shared.add_values(rows.content, next, work.shared);
  for (const Batch& deliveries : batches) {
    Recorder recorder(names, shared, next);
    recorder.common = &work.shared;
    work.batches.push_back(run_recorder(recorder, deliveries));
  }
  return work;
}

std::map<std::string, std::uint64_t> count_rows(std::span<const RawBatch> batches) {
  std::map<std::string, std::uint64_t> rows;
  for (const RawBatch& raw : batches) {
    rows["physmessage"] += raw.content.physmessages.size();
    rows["mimeparts"] += raw.content.parts.size();
    rows["headervalue"] += raw.content.values.size();
    rows["partlists"] += raw.content.partlists.size();
    rows["header"] += raw.content.headers.size();
    rows["referencesfield"] += raw.content.references.size();
    rows["envelope"] += raw.content.envelopes.size();
    rows["messages"] += raw.messages.size();
  }
  return rows;
}

}  // namespace bench::ceiling
