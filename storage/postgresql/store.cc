#include "storage/postgresql/store.h"

#include <algorithm>

namespace storage::postgresql {
namespace {

using batch::Content;
using batch::ContentIds;
using batch::RowId;

// A look-up ships blobs up to this size; larger ones travel a second time only when a row of their hash and size
// exists.
constexpr std::size_t shipped_blob = 16 * 1024;
// Spare ids for this many batches like the present one, within limits.
constexpr std::size_t spare_batches = 7;
constexpr std::size_t max_spare = 500;

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

void add_blobs(const Content& content, const ContentIds& ids, std::vector<Session::Step>& steps) {
  steps.push_back({Statement::insert_physmessages,
                   std::move(Arguments()
                                 .add(int8_array(ids.physmessages))
                                 .add(int8_array(content.physmessages, &batch::PhysmessageRow::message_size))
                                 .add(int8_array(content.physmessages, &batch::PhysmessageRow::rfc_size))
                                 .add(text_array(content.physmessages, &batch::PhysmessageRow::internal_date)))});
  if (!content.parts.empty()) {
    steps.push_back({Statement::insert_parts,
                     std::move(Arguments()
                                   .add(int8_array(ids.parts))
                                   .add(text_array(content.parts, &batch::PartKey::hash))
                                   .add(octets_array(Element::bytea, content.parts, &batch::PartKey::data)))});
  }
  if (!content.values.empty()) {
    steps.push_back(
        {Statement::insert_values, std::move(Arguments()
                                                 .add(int8_array(ids.values))
                                                 .add(text_array(content.values, &batch::ValueRow::hash))
                                                 .add(text_array(content.values, &batch::ValueRow::value))
                                                 .add(text_array(content.values, &batch::ValueRow::sortfield))
                                                 .add(text_array(content.values, &batch::ValueRow::date)))});
  }
}

void add_links(const Content& content, const ContentIds& ids, std::vector<Session::Step>& steps) {
  const auto physmessage = [&ids](const auto& row) { return ids.physmessages.at(row.physmessage); };
  const auto resolved = [](const batch::RowRef& ref, const std::vector<RowId>& fresh) {
    return ref.id != 0 ? ref.id : fresh.at(ref.index);
  };
  if (!content.partlists.empty()) {
    const auto part = [&](const batch::PartlistRow& row) { return resolved(row.part, ids.parts); };
    steps.push_back(
        {Statement::insert_partlists, std::move(Arguments()
                                                    .add(int8_array(content.partlists, physmessage))
                                                    .add(int8_array(content.partlists, &batch::PartlistRow::is_header))
                                                    .add(int8_array(content.partlists, &batch::PartlistRow::key))
                                                    .add(int8_array(content.partlists, &batch::PartlistRow::depth))
                                                    .add(int8_array(content.partlists, &batch::PartlistRow::order))
                                                    .add(int8_array(content.partlists, part)))});
  }
  if (!content.headers.empty()) {
    const auto value = [&](const batch::HeaderRow& row) { return resolved(row.value, ids.values); };
    steps.push_back({Statement::insert_headers, std::move(Arguments()
                                                              .add(int8_array(content.headers, physmessage))
                                                              .add(int8_array(content.headers, &batch::HeaderRow::name))
                                                              .add(int8_array(content.headers, value)))});
  }
  const auto add_texts = [&](Statement statement, const std::vector<batch::TextRow>& rows) {
    if (rows.empty()) return;
    steps.push_back(
        {statement,
         std::move(Arguments().add(int8_array(rows, physmessage)).add(text_array(rows, &batch::TextRow::text)))});
  };
  add_texts(Statement::insert_references, content.references);
  add_texts(Statement::insert_envelopes, content.envelopes);
}

}  // namespace

void Store::drop_caches() {
  header_names_loaded_ = false;
  known_values().clear();
  for (IdBlock& block : blocks_) block = IdBlock();
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

std::vector<MessageId> Store::find_messages(std::span<const batch::MessageKey> keys) {
  const Rows rows =
      session_.execute(Statement::find_messages, Arguments()
                                                     .add(int8_array(keys, &batch::MessageKey::mailbox))
                                                     .add(text_array(keys, &batch::MessageKey::unique_id)));
  return ids_by_ordinal(rows, keys.size());
}

std::vector<RowId> Store::find_parts(std::span<const batch::PartKey> keys) {
  BinaryArray data(Element::bytea);
  for (const batch::PartKey& key : keys) {
    if (key.data.size() <= shipped_blob) {
      data.add(key.data);
    } else {
      data.add_null();
    }
  }
  const Rows rows = session_.execute(
      Statement::find_parts, Arguments()
                                 .add(octets_array(Element::bpchar, keys, &batch::PartKey::hash))
                                 .add(int8_array(keys, [](const batch::PartKey& key) { return key.data.size(); }))
                                 .add(std::move(data)));
  std::vector<RowId> ids = ids_by_ordinal(rows, keys.size());
  find_large_parts(keys, ids);
  return ids;
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

std::vector<RowId> Store::find_values(std::span<const batch::ValueRow> rows) {
  const Rows found = session_.execute(
      Statement::find_values,
      Arguments().add(text_array(rows, &batch::ValueRow::hash)).add(text_array(rows, &batch::ValueRow::value)));
  return ids_by_ordinal(found, rows.size());
}

std::vector<RowId> Store::IdBlock::take(std::size_t count) {
  std::vector<RowId> ids(spare.end() - static_cast<std::ptrdiff_t>(count), spare.end());
  spare.resize(spare.size() - count);
  return ids;
}

void Store::find_sequences() {
  const Rows rows = session_.execute(Statement::find_sequences);
  for (int row = 0; row < rows.size(); ++row) {
    const std::int64_t sequence = rows.octets(row, 1).empty() ? 0 : rows.int8(row, 1);
    blocks_.at(static_cast<std::size_t>(rows.int8(row, 0) - 1)).sequence = sequence;
  }
  const auto missing = [](const IdBlock& block) { return block.sequence == 0; };
  if (std::any_of(blocks_.begin(), blocks_.end(), missing)) {
    throw Error("42704", "an id column of physmessage, mimeparts or headervalue has no sequence", Error::Link::alive);
  }
}

void Store::fill_blocks(const std::array<std::size_t, 3>& wanted) {
  bool enough = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) enough = enough && blocks_[i].spare.size() >= wanted[i];
  if (enough) return;
  if (blocks_[0].sequence == 0) find_sequences();
  Arguments arguments;
  for (const IdBlock& block : blocks_) arguments.add(block.sequence);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t target = wanted[i] + std::min(wanted[i] * spare_batches, max_spare);
    const std::size_t present = blocks_[i].spare.size();
    arguments.add(static_cast<std::int64_t>(target > present ? target - present : 0));
  }
  const Rows rows = session_.execute(Statement::draw_ids, arguments);
  for (int row = 0; row < rows.size(); ++row) {
    blocks_.at(static_cast<std::size_t>(rows.int8(row, 0) - 1)).spare.push_back(rows.int8(row, 1));
  }
}

ContentIds Store::insert_content(const Content& content) {
  fill_blocks({content.physmessages.size(), content.parts.size(), content.values.size()});
  ContentIds ids;
  ids.physmessages = blocks_[0].take(content.physmessages.size());
  ids.parts = blocks_[1].take(content.parts.size());
  ids.values = blocks_[2].take(content.values.size());
  std::vector<Session::Step> steps;
  add_blobs(content, ids, steps);
  add_links(content, ids, steps);
  session_.execute_together("insert_content", steps);
  return ids;
}

std::vector<batch::MailboxState> Store::lock_mailboxes(std::span<const MailboxId> ascending) {
  const Rows rows = session_.execute(Statement::lock_mailboxes, Arguments().add(int8_array(ascending)));
  std::vector<batch::MailboxState> states;
  for (int row = 0; row < rows.size(); ++row)
    states.push_back({rows.int8(row, 0), rows.int8(row, 1), rows.int8(row, 2)});
  return states;
}

std::vector<batch::UserState> Store::lock_users(std::span<const UserId> ascending) {
  const Rows rows = session_.execute(Statement::lock_users, Arguments().add(int8_array(ascending)));
  std::vector<batch::UserState> states;
  for (int row = 0; row < rows.size(); ++row)
    states.push_back({rows.int8(row, 0), rows.int8(row, 1), rows.int8(row, 2)});
  return states;
}

void Store::delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                           std::span<const RowId> values) {
  session_.execute(Statement::delete_content,
                   Arguments().add(int8_array(physmessages)).add(int8_array(parts)).add(int8_array(values)));
}

std::vector<MessageId> Store::insert_messages(std::span<const batch::MessageRow> rows) {
  const Rows inserted =
      session_.execute(Statement::insert_messages, Arguments()
                                                       .add(int8_array(rows, &batch::MessageRow::mailbox))
                                                       .add(int8_array(rows, &batch::MessageRow::physmessage))
                                                       .add(text_array(rows, &batch::MessageRow::unique_id))
                                                       .add(int8_array(rows, &batch::MessageRow::seq)));
  std::vector<MessageId> ids;
  for (int row = 0; row < inserted.size(); ++row) ids.push_back(inserted.int8(row, 0));
  if (ids.size() != rows.size() || !std::is_sorted(ids.begin(), ids.end())) {
    throw std::logic_error("insert_messages: UIDs do not ascend");
  }
  return ids;
}

void Store::update_sequences(std::span<const batch::SeqUpdate> updates) {
  session_.execute(Statement::update_sequences, Arguments()
                                                    .add(int8_array(updates, &batch::SeqUpdate::mailbox))
                                                    .add(int8_array(updates, &batch::SeqUpdate::seq)));
}

void Store::add_quota(std::span<const batch::QuotaUpdate> updates) {
  session_.execute(Statement::add_quota, Arguments()
                                             .add(int8_array(updates, &batch::QuotaUpdate::user))
                                             .add(int8_array(updates, &batch::QuotaUpdate::octets)));
}

}  // namespace storage::postgresql
