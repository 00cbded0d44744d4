// storage/directory/alias_tree.h: aliases of aliases, loaded level by level for all addresses at once. Loops end at a
// name that was visited, chains after 20 steps. One per resolve() call, on its thread.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/directory/directory.h"

namespace storage::directory {

// What an alias leads to in the end; each list distinct, in the order found.
struct Expansion {
  std::vector<UserId> users;          // decimal targets
  std::vector<std::string> external;  // addresses; also userids, which are external in DBMail
  std::vector<std::string> commands;  // '|' and '!' targets; never executed
  bool looped = false;                // a branch ended in a loop or was too deep

  [[nodiscard]] bool empty() const { return users.empty() && external.empty() && commands.empty(); }
};

class AliasTree {
 public:
  // An alias more than this many steps below the address yields nothing.
  static constexpr int max_depth = 20;

  explicit AliasTree(Directory& directory) : directory_(directory) {}

  // One look-up for names and their spellings.
  void load(std::span<const std::string> names);

  // Follows everything that is loaded. Names that must be loaded first are added to missing; the result is then
  // incomplete.
  [[nodiscard]] Expansion expand(const std::string& canonical_name, std::set<std::string>& missing) const;

  // canonical(name) has at least one row, self references apart.
  [[nodiscard]] bool has(const std::string& canonical_name) const;

 private:
  struct Walk;
  void follow(const std::string& name, int depth, Walk& walk) const;
  void follow_target(const std::string& target, int depth, Walk& walk) const;

  Directory& directory_;
  std::map<std::string, std::vector<std::string>>
      targets_;  // canonical name → deliver_to; an empty list: asked, none there
};

}  // namespace storage::directory
