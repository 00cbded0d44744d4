// lmtpd/daemon/privileges.h: from root to the configured user, before anything is opened. Main thread, before any other is started.
#pragma once

#include <string>

namespace lmtpd::daemon {

// Becomes user (and group; empty: the user's own) with that user's supplementary groups. Nothing happens when user is empty. Throws
// std::runtime_error with a sentence: no such user or group, not started as root.
void become(const std::string& user, const std::string& group);

// True while the process may do everything; worth a remark.
[[nodiscard]] bool is_root();

}  // namespace lmtpd::daemon
