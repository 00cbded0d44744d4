#include "storage/batch/content_builder.h"

#include <algorithm>
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

// Rows that were found are referred to by id, the others by their index in the list that is left.
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
  std::size_t left = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (refs[i].id == 0) rows[left++] = rows[i];
  }
  rows.resize(left);
}

std::vector<RowId> unused(const std::vector<RowId>& ids, const std::vector<bool>& used) {
  std::vector<RowId> left;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) left.push_back(ids.at(i));
  }
  return left;
}

void refer(RowRef& ref, const std::vector<RowRef>& refs) {
  if (ref.id == 0) ref = refs[ref.index];
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

void ContentBuilder::collect(const std::vector<bool>& wanted) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (wanted[i]) collect_delivery(i);
  }
}

void ContentBuilder::collect_delivery(std::size_t delivery) {
  const Message& message = batch_[delivery].message;
  const auto physmessage = static_cast<std::uint32_t>(content_.physmessages.size());
  deliveries_.push_back(delivery);
  content_.physmessages.push_back({message.message_size, message.rfc_size, message.internal_date});

  for (const Part& part : message.parts) {
    const BlobKey key{part.hash, message.blob(part)};
    const auto next = static_cast<std::uint32_t>(content_.parts.size());
    const auto [position, is_new] = parts_.try_emplace(key, RowRef{0, next});
    if (is_new) content_.parts.push_back({key.hash, key.bytes});
    content_.partlists.push_back({physmessage, part.is_header, part.key, part.depth, part.order, position->second});
  }
  collect_headers(message, physmessage);
  for (const std::string& reference : message.references) {
    if (reference.size() <= max_reference) content_.references.push_back({physmessage, reference});
  }
  content_.envelopes.push_back({physmessage, message.envelope});
}

void ContentBuilder::collect_headers(const Message& message, std::uint32_t physmessage) {
  const auto first = static_cast<std::ptrdiff_t>(content_.headers.size());
  for (const HeaderField& field : message.headers) {
    const auto name = names_.find(field.name);
    if (name == names_.end() || !cacheable(field)) continue;
    content_.headers.push_back({physmessage, name->second, value_of(field)});
  }
  // A field may stand twice in a message, its row may not.
  const auto triple = [](const HeaderRow& row) { return std::tuple(row.name, row.value.id, row.value.index); };
  const auto begin = content_.headers.begin() + first;
  std::sort(begin, content_.headers.end(), [&](const auto& a, const auto& b) { return triple(a) < triple(b); });
  const auto same = [&](const auto& a, const auto& b) { return triple(a) == triple(b); };
  content_.headers.erase(std::unique(begin, content_.headers.end(), same), content_.headers.end());
}

RowRef ContentBuilder::value_of(const HeaderField& field) {
  const auto [position, is_new] = values_.try_emplace(BlobKey{field.hash, field.value});
  if (!is_new) return position->second;
  RowRef& ref = position->second;
  ref.id = known_.find(field.hash, field.value);
  if (ref.id == 0) {
    ref.index = static_cast<std::uint32_t>(content_.values.size());
    const std::string_view date = field.date ? std::string_view(*field.date) : std::string_view();
    content_.values.push_back({field.hash, field.value, field.sortfield, date});
  }
  return ref;
}

void ContentBuilder::use(const Survey& found) {
  if (!content_.parts.empty()) use_parts(found.parts);
  if (!content_.values.empty()) use_values(found.values);
}

void ContentBuilder::use_parts(const std::vector<RowId>& found) {
  const std::vector<RowRef> refs = split_found(found, content_.parts.size());
  for (PartlistRow& row : content_.partlists) refer(row.part, refs);
  for (auto& [key, ref] : parts_) refer(ref, refs);
  keep_new(content_.parts, refs);
}

void ContentBuilder::use_values(const std::vector<RowId>& found) {
  const std::vector<RowRef> refs = split_found(found, content_.values.size());
  for (HeaderRow& row : content_.headers) refer(row.value, refs);
  for (auto& [key, ref] : values_) refer(ref, refs);
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (refs[i].id != 0) known_.remember(content_.values[i].hash, content_.values[i].value, refs[i].id);
  }
  keep_new(content_.values, refs);
}

void ContentBuilder::keep(const std::vector<bool>& wanted) {
  const auto is_wanted = [&](std::size_t delivery) { return wanted[delivery]; };
  if (std::all_of(deliveries_.begin(), deliveries_.end(), is_wanted)) return;
  // Collected anew, which happens only with redeliveries; what was found stays known.
  const auto is_new = [](const auto& entry) { return entry.second.id == 0; };
  std::erase_if(parts_, is_new);
  std::erase_if(values_, is_new);
  deliveries_.clear();
  content_ = Content();
  collect(wanted);
}

void ContentBuilder::remove(Tables& tables, const ContentIds& ids, const std::vector<bool>& kept) const {
  std::vector<RowId> physmessages;
  for (std::size_t p = 0; p < deliveries_.size(); ++p) {
    if (!kept[deliveries_[p]]) physmessages.push_back(ids.physmessages.at(p));
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
  tables.delete_content(physmessages, unused(ids.parts, part_used), unused(ids.values, value_used));
}

std::vector<RowId> ContentBuilder::physmessages(const ContentIds& ids) const {
  std::vector<RowId> all(batch_.size(), 0);
  for (std::size_t p = 0; p < deliveries_.size(); ++p) all[deliveries_[p]] = ids.physmessages.at(p);
  return all;
}

}  // namespace storage::batch
