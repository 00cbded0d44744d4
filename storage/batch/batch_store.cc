#include "storage/batch/batch_store.h"

#include <set>
#include <vector>

#include "storage/batch/content_builder.h"
#include "storage/batch/placement.h"

namespace storage::batch {

// The order matters (DECISIONS.md): content first, because it needs no lock; mailboxes, users and the look-up that
// counts last, directly before COMMIT, so that lanes overlap even on one hot mailbox and UIDs become visible in
// ascending order.
void store_batch(Tables& tables, std::span<const Delivery> batch, std::span<TargetOutcome> out,
                 const Options& options) {
  Placement placement(batch, out);
  placement.find_mailboxes(tables);
  const HeaderNames& names = header_names_for(tables, batch, options);

  tables.begin();
  placement.recognise(tables);
  if (placement.any_open()) {
    ContentBuilder content(batch, names);
    content.insert(tables, placement.open_deliveries());
    placement.lock(tables);
    placement.recognise(tables);
    placement.admit();
    if (placement.any_open()) {
      content.remove(tables, placement.open_deliveries());
      placement.insert(tables, content.physmessages());
      placement.finish();
      tables.commit();
      return;
    }
  }
  // No copy was stored: what may have been written for one goes with the transaction.
  placement.finish();
  tables.rollback();
}

void settle_outcomes(Tables& tables, std::span<TargetOutcome> outcomes) {
  std::vector<std::size_t> open;
  std::vector<StoredKey> keys;
  std::set<MailboxId> mailboxes;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].status.ok()) continue;
    open.push_back(i);
    keys.push_back(outcomes[i].key);
    mailboxes.insert(outcomes[i].key.mailbox);
  }
  if (open.empty()) return;

  tables.begin();
  // The lock waits until the lost connection's transaction has ended one way or the other.
  (void)tables.lock_mailboxes(std::vector<MailboxId>(mailboxes.begin(), mailboxes.end()));
  const std::vector<MessageId> found = tables.find_messages(keys);
  tables.rollback();
  for (std::size_t k = 0; k < open.size(); ++k) {
    TargetOutcome& outcome = outcomes[open[k]];
    outcome.message_idnr = found.at(k);
    if (found[k] == 0) outcome.status = Status(Reason::in_doubt, "COMMIT was lost and its row is not there");
  }
}

}  // namespace storage::batch
