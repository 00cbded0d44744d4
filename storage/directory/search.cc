#include "storage/directory/search.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace storage::directory {
namespace {

// Owners of shared and temporary things: no mail is addressed to them by name.
bool is_internal(std::string_view userid) {
  constexpr std::array<std::string_view, 3> internal = {"__@!internal_delivery_user!@__", "anyone", "__public__"};
  return std::find(internal.begin(), internal.end(), userid) != internal.end();
}

std::string described(const Step& step) {
  return std::string(to_string(step.kind)) + " \"" + step.name + "\"";
}

std::string described(const Expansion& hit) {
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
  for (const UserId user : hit.users) add("user id " + std::to_string(user));
  for (const std::string& address : hit.external) add("external \"" + address + "\"");
  for (const std::string& command : hit.commands) add("command \"" + command + "\"");
  if (hit.looped) add("a branch that loops or is too deep");
  return out;
}

}  // namespace

Search::Search(Directory& directory, const Options& options, std::span<const Address> in,
               std::vector<std::string>* steps)
    : directory_(directory), options_(options), steps_(steps), aliases_(directory) {
  queries_.reserve(in.size());
  for (const Address& address : in) {
    Query query;
    query.keys = address_keys(address, options.detail_delimiters);
    queries_.push_back(std::move(query));
  }
}

void Search::run(std::span<Resolution> out) {
  load_candidates();
  follow_aliases();
  load_users();
  for (std::size_t i = 0; i < queries_.size(); ++i) judge(queries_[i], out[i]);
  load_mailboxes();
  for (std::size_t i = 0; i < queries_.size(); ++i) choose_mailboxes(queries_[i], out[i]);
  if (steps_ != nullptr) warn_of_userids();
}

void Search::say(std::string sentence) const {
  if (steps_ != nullptr) steps_->push_back(std::move(sentence));
}

void Search::load_candidates() {
  std::vector<std::string> alias_names;
  std::set<std::string> user_keys;
  for (const Query& query : queries_) {
    for (const Step& step : query.keys.steps) {
      if (asks_users(step.kind)) {
        user_keys.insert(step.keys.begin(), step.keys.end());
      } else {
        alias_names.insert(alias_names.end(), step.keys.begin(), step.keys.end());
      }
    }
  }
  aliases_.load(alias_names);
  if (user_keys.empty()) return;
  for (UserRow& row : directory_.users_by_name(std::vector<std::string>(user_keys.begin(), user_keys.end()))) {
    if (is_internal(row.userid)) continue;
    users_.emplace(row.id, row);
    users_by_name_.emplace(canonical(row.userid), std::move(row));
  }
}

// Each round answers all addresses as far as it can and loads the names of the next level in one look-up. It ends: an
// expansion never asks below AliasTree::max_depth.
void Search::follow_aliases() {
  for (;;) {
    std::set<std::string> missing;
    for (Query& query : queries_) {
      if (!query.decided) decide(query, missing);
    }
    if (missing.empty()) return;
    aliases_.load(std::vector<std::string>(missing.begin(), missing.end()));
  }
}

void Search::decide(Query& query, std::set<std::string>& missing) {
  for (; query.step < query.keys.steps.size(); ++query.step) {
    const Found found = try_step(query, missing);
    if (found == Found::no) continue;
    query.decided = found == Found::yes;
    return;
  }
  query.decided = true;
  say("Nothing matches.");
}

Search::Found Search::try_step(Query& query, std::set<std::string>& missing) {
  const Step& step = query.keys.steps[query.step];
  return asks_users(step.kind) ? try_user(query, step) : try_alias(query, step, missing);
}

Search::Found Search::try_user(Query& query, const Step& step) {
  const auto user = users_by_name_.find(step.name);
  if (user == users_by_name_.end()) {
    say("No " + described(step) + ".");
    return Found::no;
  }
  query.hit = Expansion();
  query.hit.users.push_back(user->second.id);
  say("Found " + described(step) + ": user id " + std::to_string(user->second.id) + ".");
  return Found::yes;
}

Search::Found Search::try_alias(Query& query, const Step& step, std::set<std::string>& missing) {
  if (!aliases_.has(step.name)) {
    say("No " + described(step) + ".");
    return Found::no;
  }
  std::set<std::string> wanted;
  query.hit = aliases_.expand(step.name, wanted);
  if (!wanted.empty()) {
    missing.merge(wanted);
    return Found::later;
  }
  if (query.hit.empty()) {
    say("Found " + described(step) + ", but it leads nowhere: a loop, or more than 20 steps.");
    return Found::no;
  }
  say("Found " + described(step) + ": " + described(query.hit) + ".");
  return Found::yes;
}

}  // namespace storage::directory
