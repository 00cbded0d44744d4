// lmtpd/ctl/file_owner.h: whether lmtpd can write a file that lmtpctl has made for it. One thread.
#pragma once

#include <string>

namespace lmtpd::ctl {

// A sentence with the remedy when path belongs to another user than server_user (server.user of the configuration) and is writable for
// its owner only; empty: all is well, server_user is empty or unknown here, or path cannot be looked at.
[[nodiscard]] std::string owner_fault(const std::string& path, const std::string& server_user);

}  // namespace lmtpd::ctl
