#include "storage/postgresql/content_steps.h"

namespace storage::postgresql {
namespace {

using batch::Content;
using batch::ContentIds;
using batch::RowId;

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

void add_content(const Content& content, const ContentIds& ids, std::vector<Session::Step>& steps) {
  add_blobs(content, ids, steps);
  add_links(content, ids, steps);
}

}  // namespace storage::postgresql
