#include "tests/support/script.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace test {
namespace {

class Parser {
 public:
  Parser(Script& script, std::string_view text) : script_(script), text_(text) {}

  void parse() {
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      ++line_;
      take_line(text_.substr(0, end));
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    }
    if (script_.intent.empty()) fail("no intent: the file begins with a comment that tells it");
    if (script_.steps.empty()) fail("no steps");
    for (const auto& [user, stored] : script_.stored) {
      if (stored.contents.size() > stored.count) fail("more content than messages for " + user);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(script_.name + ":" + std::to_string(line_) + ": " + what);
  }

  void take_line(std::string_view line) {
    if (line.empty()) return;
    if (line.front() == '#') {
      if (script_.steps.empty() && script_.intent.empty()) script_.intent = line.substr(line.find_first_not_of("# "));
      return;
    }
    for (const auto& [word, take] : words) {
      if (line.substr(0, word.size()) == word) return (this->*take)(line.substr(word.size()));
    }
    fail("not understood: " + std::string(line));
  }

  void add(Act act, std::string text = "", std::size_t number = 0) {
    script_.steps.emplace_back(act, std::move(text), number, line_);
  }
  void take_send(std::string_view rest) { add(Act::send, unescape(rest) + "\r\n"); }
  void take_blank_line(std::string_view rest) { bare(rest), add(Act::send, "\r\n"); }
  void take_raw(std::string_view rest) { add(Act::send, unescape(rest)); }
  void take_expect(std::string_view rest) { add(Act::expect, unescape(rest)); }
  void take_reply(std::string_view rest) { add(Act::reply, std::string(rest)); }
  void take_closed(std::string_view rest) { bare(rest), add(Act::closed); }
  void take_half_close(std::string_view rest) { bare(rest), add(Act::half_close); }
  void take_close(std::string_view rest) { bare(rest), add(Act::close); }
  void take_connect(std::string_view rest) { bare(rest), add(Act::connect); }
  void take_split(std::string_view rest) { add(Act::split, "", number(rest)); }

  void take_match(std::string_view rest) {
    try {
      (void)std::regex(std::string(rest));
    } catch (const std::regex_error& error) {
      fail(error.what());
    }
    add(Act::match, std::string(rest));
  }

  void take_repeat(std::string_view rest) {
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) fail("repeat COUNT: text");
    const std::string once = unescape(rest.substr(colon + 2));
    std::string all;
    for (std::size_t left = number(rest.substr(0, colon)); left > 0; --left) all += once;
    add(Act::send, std::move(all));
  }

  void take_option(std::string_view rest) {
    const std::size_t equals = rest.find(" = ");
    if (equals == std::string_view::npos) fail("option KEY = VALUE");
    if (!script_.steps.empty()) fail("options stand before the first step");
    script_.options.emplace_back(rest.substr(0, equals), rest.substr(equals + 3));
  }

  void take_stored(std::string_view rest) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) fail("stored: ADDRESS COUNT");
    script_.stored[std::string(rest.substr(0, blank))].count = number(rest.substr(blank + 1));
  }

  void take_content(std::string_view rest) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) fail("content: ADDRESS text");
    script_.stored[std::string(rest.substr(0, blank))].contents.push_back(unescape(rest.substr(blank + 1)));
  }

  void bare(std::string_view rest) const {
    if (!rest.empty()) fail("nothing may follow here: " + std::string(rest));
  }

  std::size_t number(std::string_view digits) const {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) fail("not a number: " + std::string(digits));
    return value;
  }

  char hex(std::string_view digits) const {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) fail("\\x wants two hex digits");
    return static_cast<char>(value);
  }

  std::string unescape(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const char c = text.front();
      text.remove_prefix(1);
      if (c != '\\') {
        out += c;
        continue;
      }
      if (text.empty()) fail("a backslash at the end");
      const char kind = text.front();
      text.remove_prefix(1);
      constexpr std::string_view kinds = "rn0t\\";
      constexpr std::string_view meanings("\r\n\0\t\\", 5);
      if (const std::size_t known = kinds.find(kind); known != std::string_view::npos) {
        out += meanings[known];
      } else if (kind == 'x') {
        out += hex(text.substr(0, 2));
        text.remove_prefix(2);
      } else {
        fail(std::string("unknown escape \\") + kind);
      }
    }
    return out;
  }

  using Take = void (Parser::*)(std::string_view);
  static const std::vector<std::pair<std::string_view, Take>> words;

  Script& script_;
  std::string_view text_;
  int line_ = 0;
};

const std::vector<std::pair<std::string_view, Parser::Take>> Parser::words = {
    {"C: ", &Parser::take_send},        {"C:", &Parser::take_blank_line},   {"C-raw: ", &Parser::take_raw},
    {"S: ", &Parser::take_expect},      {"S~: ", &Parser::take_match},      {"S*: ", &Parser::take_reply},
    {"closed", &Parser::take_closed},   {"close", &Parser::take_close},     {"half-close", &Parser::take_half_close},
    {"connect", &Parser::take_connect}, {"split ", &Parser::take_split},    {"repeat ", &Parser::take_repeat},
    {"option ", &Parser::take_option},  {"stored: ", &Parser::take_stored}, {"content: ", &Parser::take_content},
};

}  // namespace

Script Script::parse(std::string name, std::string_view text) {
  Script script;
  script.name = std::move(name);
  Parser(script, text).parse();
  return script;
}

Script Script::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse(path, text);
}

}  // namespace test
