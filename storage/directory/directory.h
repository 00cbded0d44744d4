// storage/directory/directory.h: recipient resolution. The order of look-ups, alias expansion, loops, details and
// catch-alls are here once for all engines; an engine answers four set-oriented questions, each in ONE statement with
// bound parameters. Methods throw the engine's native exceptions. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/delivery.h"
#include "storage/options.h"

namespace storage::directory {

struct AliasRow {
  std::string alias;
  std::string deliver_to;
};
struct UserRow {
  UserId id = 0;
  std::string userid;
  bool active = true;
  std::int64_t max_size = 0;  // 0: no limit
  std::int64_t used_size = 0;
};
struct MailboxRow {
  MailboxId id = 0;
  UserId owner = 0;
  std::string name;
  bool selectable = true;  // no_select = 0 and permission = 2
};
struct MailboxQuestion {
  UserId owner = 0;
  std::string name;
};

class Directory {
 public:
  virtual ~Directory() = default;

  // All rows whose lower(alias) equals one of the keys (already lower-cased). A collation may return more; the caller
  // compares again.
  virtual std::vector<AliasRow> aliases(std::span<const std::string> lower_keys) = 0;
  // All rows whose lower(userid) equals one of the keys.
  virtual std::vector<UserRow> users_by_name(std::span<const std::string> lower_keys) = 0;
  virtual std::vector<UserRow> users_by_id(std::span<const UserId> ids) = 0;
  // Mailboxes of these owners with these names, compared without case.
  virtual std::vector<MailboxRow> mailboxes(std::span<const MailboxQuestion> questions) = 0;
};

// Answers in[i] in out[i]. Round trips: two for the candidates, one per level of aliases of aliases (at most 20 for
// each step of the search; a decimal target is a user id and asks for no level), two for users and mailboxes; none of
// them grows with in.size(). steps, when not null, receives one sentence per step (lmtpctl explain); in.size() is then
// 1, and one more look-up may follow.
void resolve(Directory& directory, const Options& options, std::span<const Address> in, std::span<Resolution> out,
             std::vector<std::string>* steps = nullptr);

}  // namespace storage::directory
