#include "storage/mysql/store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "storage/mysql/questions.h"
#include "storage/mysql/rows.h"
#include "storage/mysql/script.h"
#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

using batch::RowId;

void add_question(Script& script, Question question) {
  script.ask(question.statement, std::move(question.keys), std::move(question.on_row));
}

void add_changes(Script& script, const Statement& statement, Changes changes) {
  script.change(statement, std::move(changes.rows), std::move(changes.keys));
}

}  // namespace

void Store::rollback() noexcept {
  try {
    session_.run(statements::rollback);
  } catch (...) {
    lost_ = true;
  }
}

std::vector<MailboxId> Store::create_mailboxes(std::span<const batch::MailboxName> names) {
  session_.run(statements::begin);
  std::vector<Value> owners;
  for (const auto& name : names) owners.emplace_back(name.user);
  std::set<UserId> users;
  session_.ask(statements::existing_users, owners, [&](const Row& row) { users.insert(row.integer(1)); });
  std::vector<Value> rows;
  for (const auto& name : names) {
    if (users.contains(name.user)) rows.insert(rows.end(), {name.user, name.name});
  }
  session_.insert(statements::insert_mailboxes, rows);
  const auto ids = mailbox_ids(names);
  std::vector<Value> subscriptions;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (ids[i] != 0) subscriptions.insert(subscriptions.end(), {names[i].user, ids[i]});
  }
  session_.insert(statements::subscribe, subscriptions);
  session_.run(statements::commit);
  return ids;
}

std::vector<MailboxId> Store::mailbox_ids(std::span<const batch::MailboxName> names) {
  std::vector<Value> questions;
  for (std::size_t i = 0; i < names.size(); ++i) {
    questions.insert(questions.end(), {static_cast<std::int64_t>(i), names[i].user, names[i].name});
  }
  std::vector<MailboxId> ids(names.size(), 0);
  session_.ask(statements::find_mailboxes, questions,
               [&](const Row& row) { ids.at(static_cast<std::size_t>(row.integer(1))) = row.integer(2); });
  return ids;
}

const std::map<std::string, RowId, std::less<>>& Store::header_names(bool reload) {
  if (reload || !header_names_loaded_) {
    header_names_.clear();
    session_.query(statements::header_names, {}, 1,
                   [&](const Row& row) { header_names_.emplace(row.text(2), row.integer(1)); });
    header_names_loaded_ = true;
  }
  return header_names_;
}

void Store::add_header_names(std::span<const std::string> sorted_names) {
  std::vector<Value> rows;
  for (const auto& name : sorted_names) rows.emplace_back(std::string_view(name));
  session_.insert(statements::add_header_names, rows);
}

batch::Survey Store::survey(std::span<const batch::MessageKey> keys, const batch::Content& content) {
  batch::Survey found;
  Script script;
  script.run(statements::begin);
  add_question(script, messages_question(keys, found.messages));
  add_question(script, parts_question(content.parts, found.parts));
  add_question(script, values_question(content.values, found.values));
  session_.send(statements::begin.name, script);
  return found;
}

batch::Claimed Store::write(const batch::Content& content, const batch::Claim& claim, batch::ContentIds& ids) {
  Script contents;  // a script of its own, because its ids are values of the next
  contents.insert(statements::insert_physmessages, rows_of(content.physmessages), &ids.physmessages);
  contents.insert(statements::insert_parts, rows_of(content.parts), &ids.parts);
  contents.insert(statements::insert_values, rows_of(content.values), &ids.values);
  session_.send("write.contents", contents);

  batch::Claimed claimed;
  Script links;
  links.insert(statements::insert_partlists, rows_of(content.partlists, ids));
  links.insert(statements::insert_headers, rows_of(content.headers, ids));
  links.insert(statements::insert_references, reference_rows(content.references, ids));
  links.insert(statements::insert_envelopes, envelope_rows(content.envelopes, ids));
  add_question(links, mailboxes_lock(claim.mailboxes, claimed.mailboxes));
  add_question(links, users_lock(claim.users, claimed.users));
  add_question(links, messages_question(claim.keys, claimed.messages));
  session_.send("write.links", links);
  return claimed;
}

void Store::delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                           std::span<const RowId> values) {
  Script script;
  script.change(statements::delete_physmessages, as_values(physmessages));
  script.change(statements::delete_parts, as_values(parts));
  script.change(statements::delete_values, as_values(values));
  session_.send("delete_content", script);
}

std::vector<MessageId> Store::publish(const batch::Publication& publication) {
  std::vector<MessageId> ids;
  Script script;
  script.insert(statements::insert_messages, rows_of(publication.messages), &ids);
  add_changes(script, statements::update_sequences, changes_of(publication.sequences));
  add_changes(script, statements::add_quota, changes_of(publication.quotas));
  script.run(statements::commit);
  try {
    session_.send(statements::commit.name, script);
  } catch (...) {
    committing_ = !script.stopped_before(statements::commit);
    throw;
  }
  return ids;
}

std::vector<MessageId> Store::look_up_locked(std::span<const MailboxId> ascending,
                                             std::span<const batch::MessageKey> keys) {
  std::vector<batch::MailboxState> mailboxes;
  std::vector<MessageId> found;
  Script script;
  script.run(statements::begin);
  add_question(script, mailboxes_lock(ascending, mailboxes));
  add_question(script, messages_question(keys, found));
  script.run(statements::rollback);
  session_.send(statements::begin.name, script);
  return found;
}

}  // namespace storage::mysql
