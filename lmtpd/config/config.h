// lmtpd/config/config.h: file → Settings. TOML, every key checked against the option table; all mistakes are reported at once, each
// with file, line, column, the offending key and the nearest valid one. Pure but for reading the file.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lmtpd/config/settings.h"

namespace lmtpd::config {

class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<std::string> problems);
  // "FILE:LINE:COLUMN: what is wrong and what to do", in file order.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

// Throws ConfigError, also when the file cannot be read.
[[nodiscard]] Settings load(const std::string& path);
// name stands for the file in messages.
[[nodiscard]] Settings parse(std::string_view toml, const std::string& name);

// "FILE:LINE:COLUMN: sentence" when the sentence begins with a key that the file gives, else the sentence: for mistakes that only show
// when a value is used.
[[nodiscard]] std::string located(const Settings& settings, const std::string& sentence);

// Keys whose values differ and that only a restart can change.
[[nodiscard]] std::vector<std::string> needing_restart(const Settings& running, const Settings& loaded);

}  // namespace lmtpd::config
