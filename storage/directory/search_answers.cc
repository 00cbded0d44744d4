#include <algorithm>
#include <set>
#include <utility>

#include "storage/directory/mailbox_name.h"
#include "storage/directory/search.h"

namespace storage::directory {
namespace {

constexpr std::string_view inbox = "INBOX";

bool is_full(const UserRow& user) {
  return user.max_size > 0 && user.used_size >= user.max_size;
}

}  // namespace

void Search::load_users() {
  std::set<UserId> ids;
  for (const Query& query : queries_) {
    for (const UserId id : query.hit.users) {
      if (!users_.contains(id)) ids.insert(id);
    }
  }
  if (ids.empty()) return;
  for (UserRow& row : directory_.users_by_id(std::vector<UserId>(ids.begin(), ids.end()))) {
    const UserId id = row.id;
    users_.emplace(id, std::move(row));
  }
}

void Search::judge(Query& query, Resolution& out) const {
  out = Resolution();
  bool has_inactive = false;
  bool all_full = true;
  for (const UserId id : query.hit.users) {
    const auto user = users_.find(id);
    if (user == users_.end()) {
      say("User id " + std::to_string(id) + " does not exist.");
    } else if (!user->second.active) {
      has_inactive = true;
      say("User " + user->second.userid + " is not active.");
    } else {
      query.users.push_back(id);
      all_full = all_full && is_full(user->second);
    }
  }
  for (const auto* list : {&query.hit.external, &query.hit.commands}) {
    out.skipped.insert(out.skipped.end(), list->begin(), list->end());
  }
  if (query.users.empty()) {
    out.status = refusal(query, has_inactive);
  } else if (all_full) {
    out.status = Status(Reason::over_quota, "every user of this address is over quota");
    query.users.clear();
  } else {
    out.status = Status();
  }
}

Status Search::refusal(const Query& query, bool has_inactive) const {
  const Expansion& hit = query.hit;
  if (!hit.external.empty()) return Status(Reason::external_only, "only external targets: " + hit.external.front());
  if (has_inactive) return Status(Reason::mailbox_disabled, "the user is not active");
  if (!hit.commands.empty()) return Status(Reason::pipe_target, "only command targets: " + hit.commands.front());
  if (!hit.users.empty()) {
    return Status(Reason::no_such_mailbox,
                  "delivers to user id " + std::to_string(hit.users.front()) + ", which does not exist");
  }
  return Status(Reason::no_such_mailbox, hit.looped ? "alias loop" : "unknown address");
}

std::vector<std::string> Search::wanted_names(const Query& query) const {
  const bool applies = query.step < query.keys.steps.size() && query.keys.steps[query.step].detail_applies;
  return applies ? mailbox_names(query.keys.detail) : std::vector<std::string>();
}

void Search::load_mailboxes() {
  std::set<std::pair<UserId, std::string>> wanted;
  for (const Query& query : queries_) {
    const std::vector<std::string> names = wanted_names(query);
    for (const UserId user : query.users) {
      wanted.emplace(user, inbox);
      for (const std::string& name : names) wanted.emplace(user, name);
    }
  }
  if (wanted.empty()) return;
  std::vector<MailboxQuestion> questions;
  for (const auto& [owner, name] : wanted) questions.push_back({owner, name});
  for (MailboxRow& row : directory_.mailboxes(questions)) {
    const UserId owner = row.owner;
    mailboxes_[owner].push_back(std::move(row));
  }
}

void Search::choose_mailboxes(const Query& query, Resolution& out) const {
  for (const UserId user : query.users) {
    Target target = choose_mailbox(query, user);
    if (target.user == 0) continue;
    say("Delivers to mailbox \"" + target.mailbox + "\" of " + users_.at(user).userid +
        (target.mailbox_id == 0 ? ", which will be created." : "."));
    out.targets.push_back(std::move(target));
  }
  if (out.status.ok() && out.targets.empty())
    out.status = Status(Reason::mailbox_disabled, "INBOX cannot take messages");
}

// user 0: no mailbox of his takes messages.
Target Search::choose_mailbox(const Query& query, UserId user) const {
  const std::vector<std::string> names = wanted_names(query);
  bool exists = false;
  for (const std::string& name : names) {
    const MailboxRow* row = find_mailbox(user, name);
    if (row == nullptr) continue;
    exists = true;
    if (row->selectable) return {user, row->name, row->id};
  }
  const bool create = options_.create_detail_mailboxes && !exists && !names.empty() && creatable(names.front());
  if (create && !same_mailbox(names.front(), inbox)) return {user, names.front(), 0};

  const MailboxRow* row = find_mailbox(user, inbox);
  if (row == nullptr) return {user, std::string(inbox), 0};
  if (row->selectable) return {user, row->name, row->id};
  say("The INBOX of " + users_.at(user).userid + " cannot take messages.");
  return {};
}

// Names that differ in case only may both exist: the very name wins, then the oldest.
const MailboxRow* Search::find_mailbox(UserId owner, std::string_view name) const {
  const auto rows = mailboxes_.find(owner);
  if (rows == mailboxes_.end()) return nullptr;
  const MailboxRow* best = nullptr;
  const auto rank = [&](const MailboxRow& row) { return std::pair(row.name != name, row.id); };
  for (const MailboxRow& row : rows->second) {
    if (same_mailbox(row.name, name) && (best == nullptr || rank(row) < rank(*best))) best = &row;
  }
  return best;
}

// explain only: a deliver_to that is the name of a user looks right and is not; DBMail takes it as an external address.
void Search::warn_of_userids() {
  std::set<std::string> keys;
  for (const Query& query : queries_) {
    for (const std::string& address : query.hit.external) {
      for (std::string& key : spellings(address)) keys.insert(std::move(key));
    }
  }
  if (keys.empty()) return;
  std::map<std::string, UserRow> named;
  for (UserRow& row : directory_.users_by_name(std::vector<std::string>(keys.begin(), keys.end()))) {
    named.emplace(canonical(row.userid), row);
  }
  for (const Query& query : queries_) {
    for (const std::string& address : query.hit.external) {
      const auto user = named.find(canonical(address));
      if (user == named.end()) continue;
      say("Warning: \"" + address +
          "\" is the name of a user, but as a target it counts as an external address; store the user id " +
          std::to_string(user->second.id) + " instead.");
    }
  }
}

}  // namespace storage::directory
