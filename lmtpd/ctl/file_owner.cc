#include "lmtpd/ctl/file_owner.h"

#include <pwd.h>
#include <sys/stat.h>

namespace lmtpd::ctl {

std::string owner_fault(const std::string& path, const std::string& server_user) {
  const passwd* user = server_user.empty() ? nullptr : ::getpwnam(server_user.c_str());
  struct stat file = {};
  if (user == nullptr || ::stat(path.c_str(), &file) != 0) return "";
  if (file.st_uid == user->pw_uid || (file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "";
  return "warning: " + path + " does not belong to " + server_user + ", as whom lmtpd runs (server.user): chown " +
         server_user + " " + path;
}

}  // namespace lmtpd::ctl
