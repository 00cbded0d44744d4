// tests/support/script_client.h: the client's side of a dialogue file: connects, sends, compares. In: a Script and a
// way to connect. Out: "" if everything went as written, else the first difference as "file:line: …". Blocking; one
// thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tests/support/script.h"

namespace test {

class ScriptClient {
 public:
  using Connect = std::function<int()>;  // a connected stream socket, or -1; the client closes it

  explicit ScriptClient(Connect connect, std::chrono::milliseconds patience = std::chrono::seconds(60))
      : connect_(std::move(connect)), patience_(patience) {}

  // Connects for the first step. At the end of the script the server must have nothing left to say: what it had said
  // too much is a difference as well.
  [[nodiscard]] std::string play(const Script& script) const;

 private:
  Connect connect_;
  std::chrono::milliseconds patience_;  // for one line of the server, or for one write
};

// Connects to a unix socket; -1 on failure (errno tells).
[[nodiscard]] int connect_unix(const std::string& path);

}  // namespace test
