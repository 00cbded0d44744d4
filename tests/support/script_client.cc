#include "tests/support/script_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <regex>
#include <stdexcept>

namespace test {
namespace {

using Clock = std::chrono::steady_clock;

class Difference : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One run of a script over its connections. Reads while it writes, so that neither side can block the other.
class Run {
 public:
  Run(const ScriptClient::Connect& connect, std::chrono::milliseconds patience)
      : connect_(connect), patience_(patience) {
    open();
  }
  ~Run() { close(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void take(const ScriptStep& step) {
    if (step.act == Act::send) {
      unsent_ += step.text;
      return;
    }
    flush();
    switch (step.act) {
      case Act::send:
        break;
      case Act::expect:
        return expect(step.text);
      case Act::match:
        return match(step.text);
      case Act::reply:
        return whole_reply(step.text);
      case Act::closed:
        return expect_closed();
      case Act::split:
        piece_ = step.number;
        return;
      case Act::half_close:
        ::shutdown(socket_, SHUT_WR);
        return;
      case Act::close:
        return close();
      case Act::connect:
        close();
        return open();
    }
  }

  void finish() {
    if (socket_ < 0) return;
    flush();
    ::shutdown(socket_, SHUT_WR);
    expect_closed();
  }

 private:
  void open() {
    socket_ = connect_();
    if (socket_ < 0) throw Difference(std::string("cannot connect: ") + std::strerror(errno));
    received_.clear();
    ended_ = false;
  }

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  // Waits until the socket is ready for one of `events`, or throws.
  short wait(short events, const char* what) {
    const auto until = Clock::now() + patience_;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd descriptor{socket_, events, 0};
      const int ready = left > 0 ? ::poll(&descriptor, 1, static_cast<int>(left)) : 0;
      if (ready > 0) return descriptor.revents;
      if (ready == 0) throw Difference(std::string("waited in vain ") + what);
      if (errno != EINTR) throw Difference(std::strerror(errno));
    }
  }

  void flush() {
    std::string out;
    out.swap(unsent_);
    std::string_view rest = out;
    while (!rest.empty()) {
      const short ready = wait(ended_ ? POLLOUT : POLLOUT | POLLIN, "to send");
      if (!ended_ && (ready & (POLLIN | POLLHUP)) != 0) receive();
      if ((ready & POLLOUT) == 0) continue;
      const std::size_t most = piece_ == 0 ? rest.size() : std::min(piece_, rest.size());
      const ssize_t sent = ::send(socket_, rest.data(), most, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno == EPIPE)
        return;  // closed by the server: whether it should have been is for `closed` to say
      if (sent < 0 && errno != EAGAIN && errno != EINTR) throw Difference(std::strerror(errno));
    }
  }

  void receive() {
    char buffer[65536];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) received_.append(buffer, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno == ECONNRESET)) ended_ = true;
  }

  std::string next_line(const std::string& expected) {
    std::size_t end;
    while ((end = received_.find("\r\n")) == std::string::npos) {
      if (ended_) throw Difference("expected \"" + expected + "\", but the server closed" + leftover());
      wait(POLLIN, ("for \"" + expected + "\"" + leftover()).c_str());
      receive();
    }
    std::string line = received_.substr(0, end);
    received_.erase(0, end + 2);
    return line;
  }

  std::string leftover() const { return received_.empty() ? "" : " after \"" + received_ + "\""; }

  void expect(const std::string& prefix) {
    const std::string line = next_line(prefix);
    if (line.compare(0, prefix.size(), prefix) != 0)
      throw Difference("expected \"" + prefix + "\", got \"" + line + "\"");
  }

  void match(const std::string& expression) {
    const std::string line = next_line(expression);
    if (!std::regex_match(line, std::regex(expression))) {
      throw Difference("expected /" + expression + "/, got \"" + line + "\"");
    }
  }

  void whole_reply(const std::string& code) {
    for (;;) {
      const std::string line = next_line(code);
      const bool same = line.compare(0, code.size(), code) == 0 && line.size() > code.size();
      const char behind = same ? line[code.size()] : '\0';
      if (behind == ' ') return;
      if (behind != '-') throw Difference("expected a reply " + code + ", got \"" + line + "\"");
    }
  }

  void expect_closed() {
    while (!ended_) {
      wait(POLLIN, "for the server to close");
      receive();
    }
    if (!received_.empty()) throw Difference("the server said too much: \"" + received_ + "\"");
    close();
  }

  const ScriptClient::Connect& connect_;
  const std::chrono::milliseconds patience_;
  int socket_ = -1;
  std::size_t piece_ = 0;
  std::string unsent_;
  std::string received_;
  bool ended_ = false;
};

}  // namespace

std::string ScriptClient::play(const Script& script) const {
  int line = script.steps.front().line;
  try {
    Run run(connect_, patience_);
    for (const ScriptStep& step : script.steps) {
      line = step.line;
      run.take(step);
    }
    run.finish();
  } catch (const Difference& difference) {
    return script.name + ":" + std::to_string(line) + ": " + difference.what();
  }
  return "";
}

int connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

}  // namespace test
