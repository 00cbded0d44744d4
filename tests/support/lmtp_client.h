// tests/support/lmtp_client.h: a blocking LMTP client for tests: sends octets exactly as told, reads whole replies.
// Every wait has a limit; what did not come throws, which fails the test. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace testing_support {

class LmtpClient {
 public:
  // "unix:/path" or "inet:127.0.0.1:port". Throws when nobody listens.
  explicit LmtpClient(const std::string& address);
  ~LmtpClient();
  LmtpClient(LmtpClient&& other) noexcept;
  LmtpClient& operator=(LmtpClient&&) = delete;

  void send(std::string_view octets);
  // False when the peer has closed, instead of throwing.
  [[nodiscard]] bool try_send(std::string_view octets);

  // The next reply, all its lines without CRLF joined by '\n': "250-a\n250 b". Empty at the end of the stream.
  std::string reply();
  // So many replies.
  std::vector<std::string> replies(std::size_t count);
  // Sends a line and reads its reply.
  std::string ask(std::string_view line);
  // Everything until the server closes, as replies.
  std::vector<std::string> rest();
  // How many reads the last reply() and replies() needed: 1 when all came in one piece.
  [[nodiscard]] int reads() const { return reads_; }

  void half_close();  // no more octets from us
  void close();
  void abort();  // as a dying client: the rest is lost, TCP sends RST

  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }

 private:
  [[nodiscard]] bool read_more();
  std::string take_line();

  int fd_ = -1;
  std::string buffer_;
  std::chrono::milliseconds patience_{60'000};
  int reads_ = 0;
};

}  // namespace testing_support
