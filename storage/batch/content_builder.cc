#include "storage/batch/content_builder.h"

#include <set>
#include <tuple>
#include <utility>

namespace storage::batch {
namespace {

// The narrowest columns of the three engines. What does not fit is not cached; the mail itself is stored all the same.
constexpr std::size_t max_name = 100;
constexpr std::size_t max_value = 65535;
constexpr std::size_t max_reference = 255;

bool cacheable(const HeaderField& field) {
  return field.value.size() <= max_value && field.value.find('\0') == std::string::npos &&
         field.sortfield.find('\0') == std::string::npos;
}

// Replaces references to a list of distinct rows by references to existing rows or to the shorter list of new ones.
std::vector<RowRef> split_found(const std::vector<RowId>& found, std::size_t count) {
  std::vector<RowRef> refs(count);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    refs[i].id = found.at(i);
    if (refs[i].id == 0) refs[i].index = next++;
  }
  return refs;
}

template <typename Row>
void keep_new(std::vector<Row>& rows, const std::vector<RowRef>& refs) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (refs[i].id == 0 && refs[i].index != i) rows[refs[i].index] = rows[i];
  }
  std::size_t left = 0;
  for (const RowRef& ref : refs) left += ref.id == 0 ? 1 : 0;
  rows.resize(left);
}

}  // namespace

const HeaderNames& header_names_for(Tables& tables, std::span<const Delivery> batch, const Options& options) {
  const HeaderNames& known = tables.header_names(false);
  if (!options.cache_new_header_names) return known;
  std::set<std::string> unknown;
  for (const Delivery& delivery : batch) {
    for (const HeaderField& field : delivery.message.headers) {
      if (field.name.size() <= max_name && cacheable(field) && !known.contains(field.name)) unknown.insert(field.name);
    }
  }
  if (unknown.empty()) return known;
  // Sorted, so that writers who add the same names meet in the same order.
  const std::vector<std::string> sorted(unknown.begin(), unknown.end());
  tables.add_header_names(sorted);
  return tables.header_names(true);
}

void ContentBuilder::insert(Tables& tables, const std::vector<bool>& wanted) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (wanted[i]) collect(i);
  }
  use_existing_parts(tables);
  use_existing_values(tables);
  ids_ = tables.insert_content(content_);
}

void ContentBuilder::collect(std::size_t delivery) {
  const Message& message = batch_[delivery].message;
  const auto physmessage = static_cast<std::uint32_t>(content_.physmessages.size());
  deliveries_.push_back(delivery);
  content_.physmessages.push_back({message.message_size, message.rfc_size, message.internal_date});

  for (const Part& part : message.parts) {
    const BlobKey key{part.hash, message.blob(part)};
    const auto [position, is_new] = part_positions_.try_emplace(key, static_cast<std::uint32_t>(content_.parts.size()));
    if (is_new) content_.parts.push_back({key.hash, key.bytes});
    content_.partlists.push_back(
        {physmessage, part.is_header, part.key, part.depth, part.order, RowRef{0, position->second}});
  }
  collect_headers(message, physmessage);
  for (const std::string& reference : message.references) {
    if (reference.size() <= max_reference) content_.references.push_back({physmessage, reference});
  }
  content_.envelopes.push_back({physmessage, message.envelope});
}

void ContentBuilder::collect_headers(const Message& message, std::uint32_t physmessage) {
  std::set<std::pair<RowId, std::uint32_t>> seen;
  for (const HeaderField& field : message.headers) {
    const auto name = names_.find(field.name);
    if (name == names_.end() || !cacheable(field)) continue;
    const auto [position, is_new] = value_positions_.try_emplace(BlobKey{field.hash, field.value},
                                                                 static_cast<std::uint32_t>(content_.values.size()));
    if (is_new) {
      const std::string_view date = field.date ? std::string_view(*field.date) : std::string_view();
      content_.values.push_back({field.hash, field.value, field.sortfield, date});
    }
    if (seen.emplace(name->second, position->second).second) {
      content_.headers.push_back({physmessage, name->second, RowRef{0, position->second}});
    }
  }
}

void ContentBuilder::use_existing_parts(Tables& tables) {
  if (content_.parts.empty()) return;
  const auto refs = split_found(tables.find_parts(content_.parts), content_.parts.size());
  for (PartlistRow& row : content_.partlists) row.part = refs[row.part.index];
  keep_new(content_.parts, refs);
}

void ContentBuilder::use_existing_values(Tables& tables) {
  if (content_.values.empty()) return;
  std::vector<ValueKey> keys;
  keys.reserve(content_.values.size());
  for (const ValueRow& row : content_.values) keys.push_back({row.hash, row.value});
  const auto refs = split_found(tables.find_values(keys), keys.size());
  for (HeaderRow& row : content_.headers) row.value = refs[row.value.index];
  keep_new(content_.values, refs);
}

void ContentBuilder::remove(Tables& tables, const std::vector<bool>& kept) const {
  std::vector<RowId> physmessages;
  for (std::size_t p = 0; p < deliveries_.size(); ++p) {
    if (!kept[deliveries_[p]]) physmessages.push_back(ids_.physmessages.at(p));
  }
  if (physmessages.empty()) return;

  std::vector<bool> part_used(content_.parts.size(), false);
  for (const PartlistRow& row : content_.partlists) {
    if (row.part.id == 0 && kept[deliveries_[row.physmessage]]) part_used[row.part.index] = true;
  }
  std::vector<bool> value_used(content_.values.size(), false);
  for (const HeaderRow& row : content_.headers) {
    if (row.value.id == 0 && kept[deliveries_[row.physmessage]]) value_used[row.value.index] = true;
  }
  std::vector<RowId> parts;
  for (std::size_t i = 0; i < part_used.size(); ++i) {
    if (!part_used[i]) parts.push_back(ids_.parts.at(i));
  }
  std::vector<RowId> values;
  for (std::size_t i = 0; i < value_used.size(); ++i) {
    if (!value_used[i]) values.push_back(ids_.values.at(i));
  }
  tables.delete_content(physmessages, parts, values);
}

std::vector<RowId> ContentBuilder::physmessages() const {
  std::vector<RowId> ids(batch_.size(), 0);
  for (std::size_t p = 0; p < deliveries_.size(); ++p) ids[deliveries_[p]] = ids_.physmessages.at(p);
  return ids;
}

}  // namespace storage::batch
