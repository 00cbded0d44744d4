// lmtpd/daemon/check.h: lmtpd --check: what would keep this configuration from working, one line per result, without changing anything.
#pragma once

#include <iosfwd>

#include "lmtpd/config/settings.h"
#include "storage/driver.h"

namespace lmtpd::daemon {

// Prints "ok …", "remark …" and "problem …" lines; true when there is no problem.
[[nodiscard]] bool check(const config::Settings& settings, storage::Driver& driver, std::ostream& out);

}  // namespace lmtpd::daemon
