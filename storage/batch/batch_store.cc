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
  if (!placement.any_open()) return placement.finish();
  ContentBuilder content(batch, header_names_for(tables, batch, options), tables.known_values());
  content.collect(placement.open_deliveries());

  const Survey found = tables.survey(placement.open_keys(), content.rows());
  content.use(found);
  placement.recognise(found.messages);
  if (placement.any_open()) {
    content.keep(placement.open_deliveries());
    ContentIds ids;
    placement.admit(tables.write(content.rows(), placement.claim(), ids));
    if (placement.any_open()) {
      content.remove(tables, ids, placement.open_deliveries());
      const Publication publication = placement.publication(content.physmessages(ids));
      placement.finish();
      placement.stored(tables.publish(publication));
      return;
    }
  }
  // No copy was stored: what may have been written for one goes with the transaction.
  placement.finish();
  tables.rollback();
}

void settle_outcomes(Tables& tables, std::span<TargetOutcome> outcomes) {
  std::vector<TargetOutcome*> open;
  std::vector<MessageKey> keys;
  std::set<MailboxId> mailboxes;
  for (TargetOutcome& outcome : outcomes) {
    if (!outcome.status.ok()) continue;
    open.push_back(&outcome);
    keys.push_back({outcome.key.mailbox, outcome.key.unique_id});
    mailboxes.insert(outcome.key.mailbox);
  }
  if (open.empty()) return;

  const std::vector<MailboxId> ascending(mailboxes.begin(), mailboxes.end());
  const std::vector<MessageId> found = tables.look_up_locked(ascending, keys);
  for (std::size_t k = 0; k < open.size(); ++k) {
    open[k]->message_idnr = found.at(k);
    if (found[k] == 0) open[k]->status = Status(Reason::in_doubt, "COMMIT was lost and its row is not there");
  }
}

}  // namespace storage::batch
