#include "lmtpd/config/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "lmtpd/config/nearest.h"
#include "lmtpd/config/option_table.h"

namespace lmtpd::config {
namespace {

std::string joined(const std::vector<std::string>& lines, std::string_view separator) {
  std::string out;
  for (const std::string& line : lines) {
    if (!out.empty()) out += separator;
    out += line;
  }
  return out;
}

std::vector<std::string> option_keys() {
  std::vector<std::string> keys;
  for (const Option& option : option_table()) keys.push_back(option.key);
  return keys;
}

std::string_view expectation(Type type) {
  switch (type) {
    case Type::boolean: return "true or false";
    case Type::integer: return "a whole number";
    case Type::octets: return R"(a size: octets as a number, or "64KiB", "50MiB", "1GiB")";
    case Type::duration: return R"(a time: seconds as a number, or "250ms", "30s", "5m", "1h")";
    case Type::text: return "a text in quotes";
    case Type::texts: return "a list of texts in quotes, as [\"a\", \"b\"]";
    case Type::choice: return "one of the listed words in quotes";
    case Type::mode: return "a file mode as an octal number in quotes, as \"0660\"";
  }
  return "";
}

// Reads one file; collects problems instead of stopping at the first.
class Reading {
 public:
  explicit Reading(std::string name) : name_(std::move(name)) {}

  void problem(const toml::source_region& where, const std::string& text) {
    found_.push_back({where.begin.line, where.begin.column, place(where) + ": " + text});
  }
  void missing(const std::string& text) { found_.push_back({0, 0, name_ + ":1:1: " + text}); }

  void read(const toml::table& root) {
    for (const auto& [section, node] : root) {
      if (const toml::table* table = node.as_table()) {
        read_section(std::string(section.str()), section.source(), *table);
      } else {
        problem(section.source(), unknown_key(std::string(section.str())));
      }
    }
  }

  // The settings, or a ConfigError with all problems in file order.
  Settings finish() {
    check_required();
    if (settings_.log.sink == observe::LogSink::file && !settings_.log.file.starts_with('/')) {
      problem(log_destination_, R"('log.destination' "file" needs an absolute path: file = "/var/log/lmtpd/lmtpd.log")");
    }
    if (found_.empty()) return std::move(settings_);
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    std::vector<std::string> problems;
    for (Found& found : found_) problems.push_back(std::move(found.text));
    throw ConfigError(std::move(problems));
  }

 private:
  struct Found {
    toml::source_index line;
    toml::source_index column;
    std::string text;
  };

  std::string place(const toml::source_region& where) const {
    return name_ + ":" + std::to_string(where.begin.line) + ":" + std::to_string(where.begin.column);
  }

  static std::string unknown_key(const std::string& key) {
    const std::string close = nearest(key, option_keys());
    return "unknown key '" + key + "'" + (close.empty() ? std::string("; see conf/lmtpd.toml for all options")
                                                        : "; did you mean '" + close + "'?");
  }

  void read_section(const std::string& section, const toml::source_region& where, const toml::table& table) {
    const auto& sections = section_table();
    const bool known = std::any_of(sections.begin(), sections.end(), [&](const Section& s) { return s.name == section; });
    if (!known) {
      std::vector<std::string> names;
      for (const Section& s : sections) names.emplace_back(s.name);
      const std::string close = nearest(section, names);
      problem(where, "unknown section '[" + section + "]'" + (close.empty() ? "" : "; did you mean '[" + close + "]'?"));
      return;
    }
    for (const auto& [key, node] : table) read_option(section + "." + std::string(key.str()), key.source(), node);
  }

  void read_option(const std::string& key, const toml::source_region& where, const toml::node& node) {
    const auto& table = option_table();
    const auto option = std::find_if(table.begin(), table.end(), [&](const Option& o) { return o.key == key; });
    if (option == table.end()) return problem(where, unknown_key(key));
    Value value;
    const std::string wrong = convert(*option, node, value);
    if (!wrong.empty()) return problem(node.source(), "'" + key + "' " + wrong);
    option->set(settings_, value);
    settings_.places[key] = place(node.source());
    if (key == "log.destination") log_destination_ = node.source();
  }

  // Empty when value is good, else the rest of a sentence about the key.
  static std::string convert(const Option& option, const toml::node& node, Value& value) {
    if (!convert_type(option.type, node, value)) return "must be " + std::string(expectation(option.type));
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      if (*number < option.min || *number > option.max) {
        return "must lie between " + to_literal(option.type, option.min) + " and " + to_literal(option.type, option.max);
      }
    }
    if (option.type == Type::choice) {
      const std::string& word = std::get<std::string>(value);
      if (std::find(option.choices.begin(), option.choices.end(), word) == option.choices.end()) {
        const std::string close = nearest(word, option.choices);
        return "must be one of " + joined(option.choices, ", ") + (close.empty() ? "" : "; did you mean '" + close + "'?");
      }
    }
    return {};
  }

  static bool convert_type(Type type, const toml::node& node, Value& value) {
    switch (type) {
      case Type::boolean:
        if (!node.is_boolean()) return false;
        value = node.as_boolean()->get();
        return true;
      case Type::integer:
        if (!node.is_integer()) return false;
        value = node.as_integer()->get();
        return true;
      case Type::octets:
      case Type::duration:
      case Type::mode: return convert_quantity(type, node, value);
      case Type::text:
      case Type::choice:
        if (!node.is_string()) return false;
        value = node.as_string()->get();
        return true;
      case Type::texts: return convert_list(node, value);
    }
    return false;
  }

  static bool convert_quantity(Type type, const toml::node& node, Value& value) {
    std::int64_t number = 0;
    if (node.is_integer() && type != Type::mode) {
      number = node.as_integer()->get();
      if (type == Type::duration) {
        if (number < 0 || number > std::numeric_limits<std::int64_t>::max() / 1'000'000) return false;
        number *= 1'000'000;
      }
      value = number;
      return true;
    }
    if (!node.is_string()) return false;
    const std::string& text = node.as_string()->get();
    const bool good = type == Type::octets     ? parse_octets(text, number)
                      : type == Type::duration ? parse_duration(text, number)
                                               : parse_mode(text, number);
    value = number;
    return good;
  }

  static bool convert_list(const toml::node& node, Value& value) {
    const toml::array* array = node.as_array();
    if (array == nullptr) return false;
    std::vector<std::string> texts;
    for (const toml::node& element : *array) {
      if (!element.is_string()) return false;
      texts.push_back(element.as_string()->get());
    }
    value = std::move(texts);
    return true;
  }

  void check_required() {
    if (!settings_.places.contains("storage.uri")) {
      missing(R"(missing key 'storage.uri' in section '[storage]', as uri = "sqlite:///var/lib/lmtpd/store.db")");
    }
    if (!settings_.places.contains("listen.lmtp")) {
      missing(R"(missing key 'listen.lmtp' in section '[listen]', as lmtp = ["unix:/run/lmtpd/lmtp.sock"])");
    }
  }

  std::string name_;
  Settings settings_;
  toml::source_region log_destination_;
  std::vector<Found> found_;
};

}  // namespace

ConfigError::ConfigError(std::vector<std::string> problems)
    : std::runtime_error(joined(problems, "\n")), problems_(std::move(problems)) {}

Settings load(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (file) file.peek();  // a folder opens, but cannot be read
  if (!file && !file.eof()) {
    const std::string why = std::strerror(errno);
    throw ConfigError({path + ": cannot be read: " + why + "; name the configuration file with --config FILE"});
  }
  file.clear();
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse(text, path);
}

Settings parse(std::string_view toml_text, const std::string& name) {
  Reading reading(name);
  try {
    reading.read(toml::parse(toml_text, name));
  } catch (const toml::parse_error& e) {
    // What follows a syntax error is unread, so nothing can be said about missing keys.
    const toml::source_position at = e.source().begin;
    throw ConfigError({name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                       std::string(e.description())});
  }
  return reading.finish();
}

std::string located(const Settings& settings, const std::string& sentence) {
  const std::string key = sentence.substr(0, sentence.find_first_not_of("abcdefghijklmnopqrstuvwxyz_."));
  const auto place = settings.places.find(key);
  return place == settings.places.end() ? sentence : place->second + ": " + sentence;
}

std::vector<std::string> needing_restart(const Settings& running, const Settings& loaded) {
  std::vector<std::string> keys;
  for (const Option& option : option_table()) {
    if (!option.reloadable && option.get(running) != option.get(loaded)) keys.push_back(option.key);
  }
  return keys;
}

}  // namespace lmtpd::config
