#include "storage/batch/placement.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace storage::batch {
namespace {

// An INBOX goes only with its user. Another mailbox may be deleted at any moment; the sender's retry then finds the
// INBOX, so the mail must not bounce for it.
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

std::vector<MessageKey> Placement::open_keys() const {
  std::vector<MessageKey> keys;
  for (const Copy& copy : copies_) {
    if (copy.open) keys.push_back({copy.outcome->key.mailbox, copy.outcome->key.unique_id});
  }
  return keys;
}

void Placement::recognise(std::span<const MessageId> found) {
  std::size_t next = 0;
  for (Copy& copy : copies_) {
    if (!copy.open) continue;
    const MessageId id = found[next++];
    if (id == 0) continue;
    copy.outcome->message_idnr = id;
    settle(copy, Status(Reason::already_stored));
  }
}

Claim Placement::claim() const {
  std::set<MailboxId> mailboxes;
  std::set<UserId> users;
  for (const Copy& copy : copies_) {
    if (!copy.open) continue;
    mailboxes.insert(copy.outcome->key.mailbox);
    users.insert(copy.target->user);
  }
  return {{mailboxes.begin(), mailboxes.end()}, {users.begin(), users.end()}, open_keys()};
}

void Placement::admit(const Claimed& claimed) {
  recognise(claimed.messages);
  for (const MailboxState& state : claimed.mailboxes) mailboxes_[state.id] = state;
  std::map<UserId, UserState> users;
  for (const UserState& state : claimed.users) users[state.id] = state;
  for (Copy& copy : copies_) {
    if (!copy.open) continue;
    const auto user = users.find(copy.target->user);
    if (!mailboxes_.contains(copy.outcome->key.mailbox)) {
      settle(copy, vanished(*copy.target));
    } else if (user == users.end()) {
      settle(copy, Status(Reason::no_such_mailbox, "the user is gone"));
    } else {
      charge(copy, user->second);
    }
  }
}

void Placement::charge(Copy& copy, UserState& user) {
  const auto size = static_cast<std::int64_t>(size_of(copy));
  // Equality fits. Written without a sum that a broken counter could overflow.
  if (user.max_size > 0 && (user.used_size > user.max_size || size > user.max_size - user.used_size)) {
    settle(copy, Status(Reason::over_quota));
  } else {
    user.used_size += size;
  }
}

Publication Placement::publication(std::span<const RowId> physmessages) {
  Publication publication;
  std::map<MailboxId, std::int64_t> sequences;
  std::map<UserId, std::int64_t> octets;
  for (Copy& copy : copies_) {
    if (!copy.open) continue;
    const StoredKey& key = copy.outcome->key;
    const std::int64_t seq = ++mailboxes_.at(key.mailbox).seq;
    publication.messages.push_back({key.mailbox, physmessages[copy.delivery], key.unique_id, seq});
    sequences[key.mailbox] = seq;
    octets[copy.target->user] += static_cast<std::int64_t>(size_of(copy));
    published_.push_back(copy.outcome);
    settle(copy, Status());
  }
  for (const auto& [mailbox, seq] : sequences) publication.sequences.push_back({mailbox, seq});
  for (const auto& [user, sum] : octets) publication.quotas.push_back({user, sum});
  return publication;
}

void Placement::stored(std::span<const MessageId> ids) {
  for (std::size_t i = 0; i < published_.size(); ++i) published_[i]->message_idnr = ids[i];
  for (const Copy& copy : copies_) copy.outcome->message_idnr = copies_[copy.first].outcome->message_idnr;
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
  return std::any_of(copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.open; });
}

std::vector<bool> Placement::open_deliveries() const {
  std::vector<bool> open(batch_.size(), false);
  for (const Copy& copy : copies_) {
    if (copy.open) open[copy.delivery] = true;
  }
  return open;
}

void Placement::settle(Copy& copy, Status status) {
  copy.outcome->status = std::move(status);
  copy.open = false;
}

}  // namespace storage::batch
