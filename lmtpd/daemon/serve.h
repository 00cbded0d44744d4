// lmtpd/daemon/serve.h: the life of the daemon between a read configuration and its exit status. Main thread.
#pragma once

#include <string>

#include "lmtpd/config/settings.h"
#include "storage/driver.h"

namespace lmtpd::daemon {

// Exit statuses, as sysexits.h numbers them.
inline constexpr int exit_usage = 64;
inline constexpr int exit_again = 75;   // a fault that passes: memory, threads, an address in use or not up yet
inline constexpr int exit_config = 78;  // the configuration or the schema must be mended by a person

// The configuration with what only this machine knows. Throws config::ConfigError.
[[nodiscard]] config::Settings load_settings(const std::string& path);

// Serves until SIGTERM; returns the exit status. Throws what the rooms' constructors throw: a wrong option, a missing socket folder.
// REQUIRES driver outlives the call.
[[nodiscard]] int serve(const config::Settings& settings, const std::string& config_path, storage::Driver& driver);

}  // namespace lmtpd::daemon
