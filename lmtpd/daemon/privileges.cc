#include "lmtpd/daemon/privileges.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace lmtpd::daemon {

bool is_root() { return geteuid() == 0; }

void become(const std::string& user, const std::string& group) {
  if (user.empty()) return;
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr) throw std::runtime_error("server.user: there is no user '" + user + "' on this system");
  const uid_t uid = entry->pw_uid;
  gid_t gid = entry->pw_gid;
  if (!group.empty()) {
    const ::group* named = getgrnam(group.c_str());
    if (named == nullptr) throw std::runtime_error("server.group: there is no group '" + group + "' on this system");
    gid = named->gr_gid;
  }
  if (geteuid() == uid && getegid() == gid) return;
  if (!is_root()) throw std::runtime_error("server.user: only root can become '" + user + "'; start as root or as that user");
  // Groups first: after setuid they cannot be changed any more.
  if (initgroups(user.c_str(), gid) != 0 || setgid(gid) != 0 || setuid(uid) != 0) {
    throw std::runtime_error("cannot become user '" + user + "': " + std::strerror(errno));
  }
  if (uid != 0 && setuid(0) == 0) throw std::runtime_error("root could be regained after becoming '" + user + "'");
}

}  // namespace lmtpd::daemon
