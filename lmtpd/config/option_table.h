// lmtpd/config/option_table.h: every option of lmtpd: key, type, range, meaning, and where its value lives. The single source for the
// parser, conf/lmtpd.toml and the documentation; defaults are those of the Options structs of the rooms.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lmtpd/config/settings.h"
#include "lmtpd/config/value.h"

namespace lmtpd::config {

struct Option {
  std::string key;  // "section.name"
  Type type = Type::text;
  std::string help;  // one or more sentences; wrapped when printed
  std::int64_t min = std::numeric_limits<std::int64_t>::min();  // base units of the type
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> choices;  // Type::choice
  std::string example;               // literal of the sample file when the default alone would say nothing
  bool reloadable = false;           // SIGHUP takes the new value
  std::function<Value(const Settings&)> get;
  std::function<void(Settings&, const Value&)> set;
};

struct Section {
  std::string_view name;
  std::string_view help;
};

// In the order of the sample file.
[[nodiscard]] const std::vector<Section>& section_table();
[[nodiscard]] const std::vector<Option>& option_table();

}  // namespace lmtpd::config
