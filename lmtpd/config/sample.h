// lmtpd/config/sample.h: conf/lmtpd.toml from the option table: the two required keys set, every other option with its meaning, unit,
// range and default, commented out. Pure.
#pragma once

#include <string>

namespace lmtpd::config {

[[nodiscard]] std::string sample_file();

}  // namespace lmtpd::config
