#include "tests/support/lmtp_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace testing_support {
namespace {

int connect_unix(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("path too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  throw std::runtime_error("cannot connect to " + path);
}

int connect_inet(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1))));
  ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  throw std::runtime_error("cannot connect to " + text);
}

}  // namespace

LmtpClient::LmtpClient(const std::string& address) {
  const std::string scheme = address.substr(0, 5);
  fd_ = scheme == "unix:" ? connect_unix(address.substr(5)) : connect_inet(address.substr(5));
}

LmtpClient::LmtpClient(LmtpClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)), patience_(other.patience_) {}

LmtpClient::~LmtpClient() {
  close();
}

bool LmtpClient::try_send(std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t sent = ::send(fd_, octets.data(), octets.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    octets.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void LmtpClient::send(std::string_view octets) {
  if (!try_send(octets)) throw std::runtime_error("the server has closed the connection");
}

bool LmtpClient::read_more() {
  pollfd wait{fd_, POLLIN, 0};
  const int ready = ::poll(&wait, 1, static_cast<int>(patience_.count()));
  if (ready == 0) throw std::runtime_error("no reply in time; received so far: " + buffer_);
  char piece[16384];
  const ssize_t got = ::recv(fd_, piece, sizeof piece, 0);
  if (got <= 0) return false;
  ++reads_;
  buffer_.append(piece, static_cast<std::size_t>(got));
  return true;
}

std::string LmtpClient::take_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (read_more()) continue;
    if (!buffer_.empty()) throw std::runtime_error("the stream ends inside a line: " + buffer_);
    return "";
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string LmtpClient::reply() {
  reads_ = 0;
  std::string all;
  while (true) {
    const std::string line = take_line();
    if (line.empty()) return all;
    if (!all.empty()) all += '\n';
    all += line;
    if (line.size() < 4 || line[3] != '-') return all;
  }
}

std::vector<std::string> LmtpClient::replies(std::size_t count) {
  std::vector<std::string> all;
  int reads = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(reply());
    reads += reads_;
  }
  reads_ = reads;
  return all;
}

std::string LmtpClient::ask(std::string_view line) {
  send(std::string(line) + "\r\n");
  return reply();
}

std::vector<std::string> LmtpClient::rest() {
  std::vector<std::string> all;
  for (std::string next = reply(); !next.empty(); next = reply()) all.push_back(next);
  return all;
}

void LmtpClient::half_close() {
  ::shutdown(fd_, SHUT_WR);
}

void LmtpClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void LmtpClient::abort() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

}  // namespace testing_support
