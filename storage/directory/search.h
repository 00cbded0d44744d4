// storage/directory/search.h: one resolve() call: from addresses to users, then to mailboxes, all addresses side by
// side so that the number of look-ups does not grow with them. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "storage/directory/address_keys.h"
#include "storage/directory/alias_tree.h"
#include "storage/directory/directory.h"

namespace storage::directory {

class Search {
 public:
  // REQUIRES all arguments outlive this object; steps may be null.
  Search(Directory& directory, const Options& options, std::span<const Address> in, std::vector<std::string>* steps);

  void run(std::span<Resolution> out);

 private:
  struct Query {
    AddressKeys keys;
    std::size_t step = 0;  // the step that hit; keys.steps.size(): none did
    bool decided = false;
    Expansion hit;
    std::vector<UserId> users;  // of the hit: those that exist and are active
  };
  enum class Found : std::uint8_t { no, yes, later };  // later: names of the next level must be loaded first

  // search.cc: from the address to its hit
  void load_candidates();
  void follow_aliases();
  void decide(Query& query, std::set<std::string>& missing);
  [[nodiscard]] Found try_step(Query& query, std::set<std::string>& missing);
  [[nodiscard]] Found try_user(Query& query, const Step& step);
  [[nodiscard]] Found try_alias(Query& query, const Step& step, std::set<std::string>& missing);
  // search_answers.cc: from the hit to targets and a status
  void load_users();
  void judge(Query& query, Resolution& out) const;
  [[nodiscard]] Status refusal(const Query& query, bool has_inactive) const;
  void load_mailboxes();
  void choose_mailboxes(const Query& query, Resolution& out) const;
  [[nodiscard]] Target choose_mailbox(const Query& query, UserId user) const;
  [[nodiscard]] std::vector<std::string> wanted_names(const Query& query) const;
  [[nodiscard]] const MailboxRow* find_mailbox(UserId owner, std::string_view name) const;
  void warn_of_userids();
  void say(std::string sentence) const;

  Directory& directory_;
  const Options& options_;
  std::vector<Query> queries_;
  std::vector<std::string>* steps_;
  AliasTree aliases_;
  std::map<std::string, UserRow> users_by_name_;  // canonical userid
  std::map<UserId, UserRow> users_;
  std::map<UserId, std::vector<MailboxRow>> mailboxes_;
};

}  // namespace storage::directory
