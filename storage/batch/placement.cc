#include "storage/batch/placement.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace storage::batch {
namespace {

// An INBOX goes only with its user. Another mailbox may be deleted at any moment; the sender's retry then finds the INBOX, so the mail
// must not bounce for it.
Status vanished(const Target& target) {
  const bool inbox = target.mailbox == "INBOX";
  return Status(inbox ? Reason::no_such_mailbox : Reason::unavailable, "the mailbox is gone");
}

}  // namespace

Placement::Placement(std::span<const Delivery> batch, std::span<TargetOutcome> out) : batch_(batch) {
  copies_.reserve(out.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (const Target& target : batch[i].targets) {
      const std::size_t index = copies_.size();
      out[index] = TargetOutcome();
      out[index].key.mailbox = target.mailbox_id;
      copies_.push_back({i, index, &target, &out[index], true});
    }
  }
}

void Placement::find_mailboxes(Tables& tables) {
  create_missing(tables);
  assign_keys();
}

void Placement::create_missing(Tables& tables) {
  std::map<std::pair<UserId, std::string_view>, std::vector<std::size_t>> missing;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const Target& target = *copies_[i].target;
    if (target.mailbox_id == 0) missing[{target.user, target.mailbox}].push_back(i);
  }
  if (missing.empty()) return;

  std::vector<MailboxName> names;
  for (const auto& [name, users] : missing) names.push_back({name.first, name.second});
  const std::vector<MailboxId> ids = tables.create_mailboxes(names);
  std::size_t next = 0;
  for (const auto& [name, copies] : missing) {
    const MailboxId id = ids.at(next++);
    for (const std::size_t i : copies) {
      copies_[i].outcome->key.mailbox = id;
      if (id == 0) settle(copies_[i], Status(Reason::no_such_mailbox, "the user is gone"));
    }
  }
}

void Placement::assign_keys() {
  std::map<std::pair<MailboxId, std::string_view>, std::size_t> first_with;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    Copy& copy = copies_[i];
    if (!copy.open) continue;
    const Delivery& delivery = batch_[copy.delivery];
    StoredKey& key = copy.outcome->key;
    key.unique_id = unique_id(delivery.sender, key.mailbox, delivery.message.content_digest, delivery.salt);
    copy.first = first_with.try_emplace({key.mailbox, key.unique_id}, i).first->second;
    copy.open = copy.first == i;
  }
}

void Placement::recognise(Tables& tables) {
  const std::vector<std::size_t> open = open_copies();
  if (open.empty()) return;
  std::vector<StoredKey> keys;
  keys.reserve(open.size());
  for (const std::size_t i : open) keys.push_back(copies_[i].outcome->key);
  const std::vector<MessageId> found = tables.find_messages(keys);
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (found.at(k) == 0) continue;
    Copy& copy = copies_[open[k]];
    copy.outcome->message_idnr = found[k];
    settle(copy, Status(Reason::already_stored));
  }
}

void Placement::lock(Tables& tables) {
  std::set<MailboxId> mailboxes;
  for (const std::size_t i : open_copies()) mailboxes.insert(copies_[i].outcome->key.mailbox);
  for (const MailboxState& state : tables.lock_mailboxes(std::vector<MailboxId>(mailboxes.begin(), mailboxes.end()))) {
    mailboxes_[state.id] = state;
  }

  std::set<UserId> users;
  for (const std::size_t i : open_copies()) {
    Copy& copy = copies_[i];
    if (mailboxes_.contains(copy.outcome->key.mailbox)) {
      users.insert(copy.target->user);
    } else {
      settle(copy, vanished(*copy.target));
    }
  }
  if (users.empty()) return;
  for (const UserState& state : tables.lock_users(std::vector<UserId>(users.begin(), users.end())))
    users_[state.id] = state;
  for (const std::size_t i : open_copies()) {
    if (!users_.contains(copies_[i].target->user))
      settle(copies_[i], Status(Reason::no_such_mailbox, "the user is gone"));
  }
}

void Placement::admit() {
  for (const std::size_t i : open_copies()) {
    Copy& copy = copies_[i];
    UserState& user = users_.at(copy.target->user);
    const auto size = static_cast<std::int64_t>(size_of(copy));
    // Equality fits. Written without a sum that a broken counter could overflow.
    if (user.max_size > 0 && (user.used_size > user.max_size || size > user.max_size - user.used_size)) {
      settle(copy, Status(Reason::over_quota));
    } else {
      user.used_size += size;
    }
  }
}

void Placement::insert(Tables& tables, std::span<const RowId> physmessages) {
  const std::vector<std::size_t> open = open_copies();
  std::vector<MessageRow> rows;
  std::map<MailboxId, std::int64_t> sequences;
  std::map<UserId, std::int64_t> octets;
  for (const std::size_t i : open) {
    const Copy& copy = copies_[i];
    const StoredKey& key = copy.outcome->key;
    const std::int64_t seq = ++mailboxes_.at(key.mailbox).seq;
    rows.push_back({key.mailbox, physmessages[copy.delivery], key.unique_id, seq});
    sequences[key.mailbox] = seq;
    octets[copy.target->user] += static_cast<std::int64_t>(size_of(copy));
  }

  const std::vector<MessageId> ids = tables.insert_messages(rows);
  for (std::size_t k = 0; k < open.size(); ++k) {
    Copy& copy = copies_[open[k]];
    copy.outcome->message_idnr = ids.at(k);
    settle(copy, Status());
  }
  std::vector<SeqUpdate> seq_updates;
  for (const auto& [mailbox, seq] : sequences) seq_updates.push_back({mailbox, seq});
  tables.update_sequences(seq_updates);
  std::vector<QuotaUpdate> quota_updates;
  for (const auto& [user, sum] : octets) quota_updates.push_back({user, sum});
  tables.add_quota(quota_updates);
}

void Placement::finish() {
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const Copy& copy = copies_[i];
    if (copy.first == i) continue;
    *copy.outcome = *copies_[copy.first].outcome;
    if (copy.outcome->status.ok()) copy.outcome->status = Status(Reason::already_stored);
  }
}

bool Placement::any_open() const {
  return !open_copies().empty();
}

std::vector<bool> Placement::open_deliveries() const {
  std::vector<bool> open(batch_.size(), false);
  for (const std::size_t i : open_copies()) open[copies_[i].delivery] = true;
  return open;
}

void Placement::settle(Copy& copy, Status status) {
  copy.outcome->status = std::move(status);
  copy.open = false;
}

std::vector<std::size_t> Placement::open_copies() const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].open) open.push_back(i);
  }
  return open;
}

}  // namespace storage::batch
