#include "lmtpd/config/sample.h"

#include <string_view>

#include "lmtpd/config/option_table.h"

namespace lmtpd::config {
namespace {

constexpr std::size_t width = 100;

void append_comment(std::string& out, std::string_view text) {
  std::string line = "#";
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    if (line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = "#";
    }
    line += " ";
    line += word;
    text = blank == std::string_view::npos ? std::string_view{} : text.substr(blank + 1);
  }
  out += line + "\n";
}

std::string range_sentence(const Option& option) {
  if (option.type == Type::choice) {
    std::string words;
    for (const std::string& choice : option.choices) words += (words.empty() ? "" : ", ") + choice;
    return "One of: " + words + ".";
  }
  const bool bounded = option.min != std::numeric_limits<std::int64_t>::min() ||
                       option.max != std::numeric_limits<std::int64_t>::max();
  if (!bounded) return {};
  return "Range: " + to_literal(option.type, option.min) + " to " + to_literal(option.type, option.max) + ".";
}

void append_option(std::string& out, const Option& option) {
  append_comment(out, option.help);
  if (const std::string range = range_sentence(option); !range.empty()) append_comment(out, range);
  const std::string name = option.key.substr(option.key.find('.') + 1);
  const std::string literal = to_literal(option.type, option.get(Settings{}));
  const bool required = !option.example.empty() && (option.key == "storage.uri" || option.key == "listen.lmtp");
  if (required) {
    out += "# Required.\n" + name + " = " + option.example + "\n\n";
    return;
  }
  if (!option.example.empty()) append_comment(out, "Example: " + name + " = " + option.example);
  append_comment(out, "Default: " + literal + (option.reloadable ? " (taken over at SIGHUP)" : ""));
  out += "#" + name + " = " + literal + "\n\n";
}

}  // namespace

std::string sample_file() {
  std::string out =
      "# Configuration of lmtpd and lmtpctl. Two keys are required; everything else is shown with its default.\n"
      "# This file is printed by `lmtpd --print-config`; `lmtpd --check` tells what it thinks of yours.\n"
      "# Sizes: a number of octets, or \"64KiB\", \"50MiB\", \"1GiB\". Times: a number of seconds, or \"250ms\", \"30s\", \"5m\", \"1h\".\n\n";
  for (const Section& section : section_table()) {
    append_comment(out, section.help);
    out += "[" + std::string(section.name) + "]\n\n";
    const std::string prefix = std::string(section.name) + ".";
    for (const Option& option : option_table()) {
      if (option.key.starts_with(prefix)) append_option(out, option);
    }
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace lmtpd::config
