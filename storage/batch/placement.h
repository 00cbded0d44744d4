// storage/batch/placement.h: which copies of a batch go where, and what became of each: mailboxes and keys,
// redeliveries, locks, quota in arrival order, the rows of messages. One per store() call, on its thread; writes the
// caller's outcomes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "storage/batch/tables.h"
#include "storage/delivery.h"

namespace storage::batch {

class Placement {
 public:
  // out: one per target, delivery-major. REQUIRES batch and out outlive this object.
  Placement(std::span<const Delivery> batch, std::span<TargetOutcome> out);

  // Creates mailboxes that do not exist yet; after that every key is known, and equal keys inside the batch are one
  // copy.
  void find_mailboxes(Tables& tables);

  // Copies whose key is in the store are done: already_stored.
  void recognise(Tables& tables);

  // Locks the mailboxes, then the users, of the copies that are still open; a vanished INBOX is
  // no_such_mailbox, another vanished mailbox unavailable: the retry goes to INBOX.
  void lock(Tables& tables);

  // Quota: takes open copies in arrival order as long as they fit; the others are over_quota. REQUIRES lock().
  void admit();

  // Inserts the open copies' rows, bumps seq and adds quota. physmessages[i] belongs to batch[i]. REQUIRES lock(), and
  // any_open().
  void insert(Tables& tables, std::span<const RowId> physmessages);

  // Gives equal copies inside the batch the outcome of their first; call it last.
  void finish();

  [[nodiscard]] bool any_open() const;
  // delivery → has it an open copy?
  [[nodiscard]] std::vector<bool> open_deliveries() const;

 private:
  struct Copy {
    std::size_t delivery = 0;
    std::size_t first = 0;  // index of the first copy with the same key; its own index usually
    const Target* target = nullptr;
    TargetOutcome* outcome = nullptr;
    bool open = true;  // still to be stored
  };

  void create_missing(Tables& tables);
  void assign_keys();
  void settle(Copy& copy, Status status);
  [[nodiscard]] std::vector<std::size_t> open_copies() const;
  [[nodiscard]] std::uint64_t size_of(const Copy& copy) const { return batch_[copy.delivery].message.message_size; }

  std::span<const Delivery> batch_;
  std::vector<Copy> copies_;
  std::map<MailboxId, MailboxState> mailboxes_;  // locked
  std::map<UserId, UserState> users_;            // locked; used_size counts what admit() has taken
};

}  // namespace storage::batch
