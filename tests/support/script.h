// tests/support/script.h: a dialogue file (tests/dialogues/README.md has the format) as a value. In: the text of the
// file. Out: settings, steps with their line numbers, and what must be stored at the end; or std::runtime_error
// "file:line: …". Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test {

enum class Act {
  send,        // text goes out (consecutive ones in one write)
  expect,      // the server's next line begins with text
  match,       // … matches the regular expression text as a whole
  reply,       // a whole reply, of one or more lines, has the code text
  closed,      // the server closes the connection, nothing more comes
  split,       // from here on, write in pieces of `number` octets (0: as a whole)
  half_close,  // the client has no more to say
  close,       // the client is gone
  connect,     // a new connection
};

class ScriptStep {
 public:
  ScriptStep(Act act, std::string text, std::size_t number, int line)
      : act(act), text(std::move(text)), number(number), line(line) {}

  Act act;
  std::string text;
  std::size_t number;
  int line;
};

// What one user's INBOX holds in the end. Users that are not named have nothing.
class Stored {
 public:
  std::size_t count = 0;
  std::vector<std::string>
      contents;  // exact octets without Return-Path, in UID order; as many as were told, at most count
};

class Script {
 public:
  // Throws std::runtime_error. `name` is for messages only.
  static Script parse(std::string name, std::string_view text);
  static Script load(const std::string& path);

  std::string name;
  std::string intent;                                        // the comment at the top
  std::vector<std::pair<std::string, std::string>> options;  // "limits.message_size" → "1024", as in lmtpd.toml
  std::map<std::string, Stored> stored;                      // by address
  std::vector<ScriptStep> steps;
};

}  // namespace test
