#include "storage/postgresql/store.h"

#include <algorithm>
#include <stdexcept>

#include "storage/postgresql/content_steps.h"

namespace storage::postgresql {
namespace {

using batch::Content;
using batch::ContentIds;
using batch::RowId;

// A look-up ships blobs up to this size; larger ones travel a second time only when a row of their hash and size
// exists.
constexpr std::size_t shipped_blob = 16 * 1024;

// Rows of (n counting from 1, id) spread over a vector of count entries; absent ones stay 0, the first row of an n
// counts.
std::vector<std::int64_t> ids_by_ordinal(const Rows& rows, std::size_t count) {
  std::vector<std::int64_t> ids(count, 0);
  for (int row = 0; row < rows.size(); ++row) {
    std::int64_t& id = ids.at(static_cast<std::size_t>(rows.int8(row, 0) - 1));
    if (id == 0) id = rows.int8(row, 1);
  }
  return ids;
}

Arguments mailbox_names(std::span<const batch::MailboxName> names) {
  return std::move(
      Arguments().add(int8_array(names, &batch::MailboxName::user)).add(text_array(names, &batch::MailboxName::name)));
}

Session::Step find_messages(std::span<const batch::MessageKey> keys) {
  return {Statement::find_messages, std::move(Arguments()
                                                  .add(int8_array(keys, &batch::MessageKey::mailbox))
                                                  .add(text_array(keys, &batch::MessageKey::unique_id)))};
}

Session::Step find_parts(std::span<const batch::PartKey> parts) {
  BinaryArray data(Element::bytea);
  for (const batch::PartKey& part : parts) {
    if (part.data.size() <= shipped_blob) {
      data.add(part.data);
    } else {
      data.add_null();
    }
  }
  const auto size = [](const batch::PartKey& part) { return part.data.size(); };
  return {Statement::find_parts, std::move(Arguments()
                                               .add(octets_array(Element::bpchar, parts, &batch::PartKey::hash))
                                               .add(int8_array(parts, size))
                                               .add(std::move(data)))};
}

Session::Step find_values(std::span<const batch::ValueRow> rows) {
  return {
      Statement::find_values,
      std::move(
          Arguments().add(text_array(rows, &batch::ValueRow::hash)).add(text_array(rows, &batch::ValueRow::value)))};
}

Session::Step lock_rows(Statement statement, std::span<const std::int64_t> ascending) {
  return {statement, std::move(Arguments().add(int8_array(ascending)))};
}

std::vector<Session::Step> publication_steps(const batch::Publication& publication) {
  using batch::MessageRow;
  const auto& [messages, sequences, quotas] = publication;
  return {{Statement::insert_messages, std::move(Arguments()
                                                     .add(int8_array(messages, &MessageRow::mailbox))
                                                     .add(int8_array(messages, &MessageRow::physmessage))
                                                     .add(text_array(messages, &MessageRow::unique_id))
                                                     .add(int8_array(messages, &MessageRow::seq)))},
          {Statement::update_sequences, std::move(Arguments()
                                                      .add(int8_array(sequences, &batch::SeqUpdate::mailbox))
                                                      .add(int8_array(sequences, &batch::SeqUpdate::seq)))},
          {Statement::add_quota, std::move(Arguments()
                                               .add(int8_array(quotas, &batch::QuotaUpdate::user))
                                               .add(int8_array(quotas, &batch::QuotaUpdate::octets)))},
          {Statement::commit}};
}

}  // namespace

void Store::drop_caches() {
  header_names_loaded_ = false;
  known_values().clear();
  spare_ids_.clear();
}

std::vector<MailboxId> Store::create_mailboxes(std::span<const batch::MailboxName> names) {
  const Arguments arguments = mailbox_names(names);
  session_.execute(Statement::create_mailboxes, arguments);
  return ids_by_ordinal(session_.execute(Statement::read_mailboxes, arguments), names.size());
}

const std::map<std::string, RowId, std::less<>>& Store::header_names(bool reload) {
  if (header_names_loaded_ && !reload) return header_names_;
  const Rows rows = session_.execute(Statement::header_names);
  header_names_.clear();
  for (int row = 0; row < rows.size(); ++row) header_names_.emplace(rows.octets(row, 1), rows.int8(row, 0));
  header_names_loaded_ = true;
  return header_names_;
}

void Store::add_header_names(std::span<const std::string> sorted_names) {
  session_.execute(Statement::add_header_names, Arguments().add(text_array(sorted_names)));
}

batch::Survey Store::survey(std::span<const batch::MessageKey> keys, const Content& content) {
  // The ids that write() may need, while we ask anyway.
  const bool draw = !spare_ids_.enough_for(content);
  std::vector<Session::Step> steps;
  if (draw) steps.push_back(spare_ids_.draw_for(content));
  steps.insert(steps.begin(), {Statement::begin});
  steps.push_back(find_messages(keys));
  steps.push_back(find_parts(content.parts));
  steps.push_back(find_values(content.values));
  const std::vector<Rows> answers = session_.execute_together("begin", steps);

  if (draw) spare_ids_.add(answers[1]);
  const std::size_t first = draw ? 2 : 1;
  batch::Survey found{ids_by_ordinal(answers[first], keys.size()),
                      ids_by_ordinal(answers[first + 1], content.parts.size()),
                      ids_by_ordinal(answers[first + 2], content.values.size())};
  find_large_parts(content.parts, found.parts);
  return found;
}

void Store::find_large_parts(std::span<const batch::PartKey> keys, std::vector<RowId>& ids) {
  std::vector<batch::PartKey> candidates;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].data.size() <= shipped_blob || ids[i] == 0) continue;
    candidates.push_back(keys[i]);
    places.push_back(i);
  }
  if (candidates.empty()) return;
  const Rows rows = session_.execute(Statement::find_large_parts,
                                     Arguments()
                                         .add(octets_array(Element::bpchar, candidates, &batch::PartKey::hash))
                                         .add(octets_array(Element::bytea, candidates, &batch::PartKey::data)));
  const std::vector<RowId> found = ids_by_ordinal(rows, candidates.size());
  for (std::size_t i = 0; i < places.size(); ++i) ids[places[i]] = found[i];
}

batch::Claimed Store::write(const Content& content, const batch::Claim& claim, ContentIds& ids) {
  if (!spare_ids_.enough_for(content)) {
    const Session::Step draw = spare_ids_.draw_for(content);
    spare_ids_.add(session_.execute(draw.statement, draw.arguments));
  }
  ids = spare_ids_.take_for(content);
  std::vector<Session::Step> steps;
  add_content(content, ids, steps);
  const std::size_t first = steps.size();
  steps.push_back(lock_rows(Statement::lock_mailboxes, claim.mailboxes));
  steps.push_back(lock_rows(Statement::lock_users, claim.users));
  steps.push_back(find_messages(claim.keys));
  const std::vector<Rows> answers = session_.execute_together("insert_content", steps);

  batch::Claimed claimed;
  const Rows& mailboxes = answers[first];
  for (int row = 0; row < mailboxes.size(); ++row)
    claimed.mailboxes.push_back({mailboxes.int8(row, 0), mailboxes.int8(row, 1), mailboxes.int8(row, 2)});
  const Rows& users = answers[first + 1];
  for (int row = 0; row < users.size(); ++row)
    claimed.users.push_back({users.int8(row, 0), users.int8(row, 1), users.int8(row, 2)});
  claimed.messages = ids_by_ordinal(answers[first + 2], claim.keys.size());
  return claimed;
}

void Store::delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                           std::span<const RowId> values) {
  session_.execute(Statement::delete_content,
                   Arguments().add(int8_array(physmessages)).add(int8_array(parts)).add(int8_array(values)));
}

std::vector<MessageId> Store::publish(const batch::Publication& publication) {
  const std::vector<Rows> answers = session_.execute_together("commit", publication_steps(publication));
  const Rows& inserted = answers.front();
  std::vector<MessageId> ids;
  for (int row = 0; row < inserted.size(); ++row) ids.push_back(inserted.int8(row, 0));
  if (ids.size() != publication.messages.size() || !std::is_sorted(ids.begin(), ids.end())) {
    session_.doubt_commit();  // a trigger of the store's owner left rows out; those that are there must not come again
    throw std::logic_error("insert_messages: UIDs do not ascend");
  }
  return ids;
}

std::vector<MessageId> Store::look_up_locked(std::span<const MailboxId> ascending,
                                             std::span<const batch::MessageKey> keys) {
  std::vector<Session::Step> steps;
  steps.push_back({Statement::begin});
  steps.push_back(lock_rows(Statement::lock_mailboxes, ascending));
  steps.push_back(find_messages(keys));
  steps.push_back({Statement::rollback});
  return ids_by_ordinal(session_.execute_together("begin", steps)[2], keys.size());
}

}  // namespace storage::postgresql
