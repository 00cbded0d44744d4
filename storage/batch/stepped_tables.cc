#include "storage/batch/stepped_tables.h"

namespace storage::batch {

Survey SteppedTables::survey(std::span<const MessageKey> keys, const Content& content) {
  begin();
  Survey found;
  found.messages = find_messages(keys);
  if (!content.parts.empty()) found.parts = find_parts(content.parts);
  if (!content.values.empty()) found.values = find_values(content.values);
  return found;
}

Claimed SteppedTables::write(const Content& content, const Claim& claim, ContentIds& ids) {
  ids = insert_content(content);
  Claimed claimed;
  claimed.mailboxes = lock_mailboxes(claim.mailboxes);
  claimed.users = lock_users(claim.users);
  claimed.messages = find_messages(claim.keys);
  return claimed;
}

std::vector<MessageId> SteppedTables::publish(const Publication& publication) {
  std::vector<MessageId> ids = insert_messages(publication.messages);
  update_sequences(publication.sequences);
  add_quota(publication.quotas);
  commit();
  return ids;
}

std::vector<MessageId> SteppedTables::look_up_locked(std::span<const MailboxId> ascending,
                                                     std::span<const MessageKey> keys) {
  begin();
  static_cast<void>(lock_mailboxes(ascending));
  std::vector<MessageId> found = find_messages(keys);
  rollback();
  return found;
}

}  // namespace storage::batch
