// lmtpd/server/line_reader.h: buffered reads and writes of one connection, with deadlines: a command line, or the
// octets of DATA and BDAT as they come. No buffer is held while the connection is idle. One coroutine at a time, on the
// socket's I/O thread.
#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "lmtpd/protocol/line_splitter.h"
#include "lmtpd/server/sweeper.h"

namespace lmtpd::server {

class LineReader {
 public:
  static constexpr std::size_t buffer_capacity = 32 * 1024;
  static constexpr std::size_t pause_after = 64 * 1024;  // octets; then the other sessions of the thread get their turn

  enum class Wait : std::uint8_t {
    ready,
    woken,  // Sweeper::wake_all(): look around and wait again
    timed_out,
    closed,  // end of file or a broken connection
  };
  using Line = protocol::LineSplitter::Kind;

  // REQUIRES socket and sweeper outlive the reader. Makes the socket non-blocking.
  LineReader(Socket& socket, Sweeper& sweeper);

  // Takes the next command line out of the buffer, without its CRLF. The view holds until fill().
  [[nodiscard]] Line next_line(std::string_view& line);
  // What is buffered; the view holds until fill().
  [[nodiscard]] std::string_view buffered() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t octets);

  // Waits for more octets; ready: buffered() has grown. REQUIRES buffered() is shorter than buffer_capacity.
  [[nodiscard]] boost::asio::awaitable<Wait> fill(std::chrono::milliseconds timeout);
  // Writes everything; the time-out is for each piece that the peer takes. Never woken.
  [[nodiscard]] boost::asio::awaitable<Wait> write(std::string_view octets, std::chrono::milliseconds timeout);

 private:
  [[nodiscard]] Wait read_now();  // woken: nothing there now
  void make_room();
  void release_if_empty();

  Socket& socket_;
  Sweeper& sweeper_;
  Deadline deadline_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t since_pause_ = 0;
  protocol::LineSplitter splitter_;
};

}  // namespace lmtpd::server
