#include "storage/directory/alias_tree.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "storage/directory/address_keys.h"

namespace storage::directory {
namespace {

// As C's strtoull reads it, which the readers use: leading blanks, a plus sign, digits to the end.
std::optional<UserId> decimal(std::string_view text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  UserId id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return id;
}

template <typename Value>
void add_distinct(std::vector<Value>& list, const Value& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

struct AliasTree::Walk {
  Expansion expansion;
  std::set<std::string> visited;
  std::set<std::string>& missing;
};

void AliasTree::load(std::span<const std::string> names) {
  std::set<std::string> keys;
  for (const std::string& name : names) {
    targets_.try_emplace(canonical(name));
    for (std::string& key : spellings(name)) keys.insert(std::move(key));
  }
  if (keys.empty()) return;
  for (AliasRow& row : directory_.aliases(std::vector<std::string>(keys.begin(), keys.end()))) {
    // A collation may have matched more than was asked for: only names that were asked for have an entry.
    const std::string name = canonical(row.alias);
    const auto entry = targets_.find(name);
    if (entry == targets_.end() || canonical(row.deliver_to) == name) continue;
    add_distinct(entry->second, row.deliver_to);
  }
}

bool AliasTree::has(const std::string& canonical_name) const {
  const auto entry = targets_.find(canonical_name);
  return entry != targets_.end() && !entry->second.empty();
}

Expansion AliasTree::expand(const std::string& canonical_name, std::set<std::string>& missing) const {
  Walk walk{{}, {}, missing};
  follow(canonical_name, 0, walk);
  return std::move(walk.expansion);
}

void AliasTree::follow(const std::string& name, int depth, Walk& walk) const {
  if (depth > max_depth || !walk.visited.insert(name).second) {
    walk.expansion.looped = true;
    return;
  }
  for (const std::string& target : targets_.at(name)) follow_target(target, depth, walk);
}

void AliasTree::follow_target(const std::string& target, int depth, Walk& walk) const {
  if (target.starts_with('|') || target.starts_with('!')) return add_distinct(walk.expansion.commands, target);
  if (const auto id = decimal(target)) return add_distinct(walk.expansion.users, *id);
  const std::string name = canonical(target);
  const auto entry = targets_.find(name);
  if (entry == targets_.end()) {
    // Beyond the limit nothing is asked for: a chain cannot make look-ups grow.
    if (depth < max_depth) walk.missing.insert(target);
    return;
  }
  if (entry->second.empty()) return add_distinct(walk.expansion.external, target);
  follow(name, depth + 1, walk);
}

}  // namespace storage::directory
