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

  // The keys of the open copies: those that are still to be stored. Here and below in arrival order.
  [[nodiscard]] std::vector<MessageKey> open_keys() const;

  // Copies whose key is in the store are done: already_stored. found[i] answers open_keys()[i].
  void recognise(std::span<const MessageId> found);

  // Mailboxes, users and keys of the open copies.
  [[nodiscard]] Claim claim() const;

  // What the locked rows allow: recognises, then a vanished INBOX is no_such_mailbox, another vanished mailbox
  // unavailable (the retry goes to INBOX); quota takes copies as long as they fit, the others are over_quota.
  void admit(const Claimed& claimed);

  // The open copies' rows, new sequence numbers and quota sums. physmessages[i] belongs to batch[i]. From here on their
  // outcome is "stored", without an id: so it must stand when the answer to COMMIT is lost. REQUIRES admit().
  [[nodiscard]] Publication publication(std::span<const RowId> physmessages);
  // They are in the store, ids[i] is publication().messages[i]. REQUIRES finish().
  void stored(std::span<const MessageId> ids);

  // Gives equal copies inside the batch the outcome of their first; call it when no copy is open any more.
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
  void charge(Copy& copy, UserState& user);
  void settle(Copy& copy, Status status);
  [[nodiscard]] std::uint64_t size_of(const Copy& copy) const { return batch_[copy.delivery].message.message_size; }

  std::span<const Delivery> batch_;
  std::vector<Copy> copies_;
  std::map<MailboxId, MailboxState> mailboxes_;  // locked
  std::vector<TargetOutcome*> published_;
};

}  // namespace storage::batch
