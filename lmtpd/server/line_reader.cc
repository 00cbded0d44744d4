#include "lmtpd/server/line_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstring>

namespace lmtpd::server {

namespace asio = boost::asio;

LineReader::LineReader(Socket& socket, Sweeper& sweeper)
    : socket_(socket), sweeper_(sweeper), deadline_(sweeper, socket) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
}

LineReader::Line LineReader::next_line(std::string_view& line) {
  const protocol::LineSplitter::Taken taken = splitter_.take(buffered());
  line = taken.line;
  consume(taken.consumed);
  return taken.kind;
}

void LineReader::consume(std::size_t octets) {
  begin_ += octets;
  if (begin_ == end_) begin_ = end_ = 0;
}

void LineReader::release_if_empty() {
  if (begin_ != end_) return;
  buffer_.reset();
  begin_ = end_ = 0;
}

void LineReader::make_room() {
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(buffer_capacity);
  if (begin_ == 0) return;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

LineReader::Wait LineReader::read_now() {
  make_room();
  boost::system::error_code ec;
  const std::size_t got = socket_.read_some(asio::buffer(buffer_.get() + end_, buffer_capacity - end_), ec);
  end_ += got;
  since_pause_ += got;
  if (ec == asio::error::would_block) return Wait::woken;
  return ec ? Wait::closed : Wait::ready;
}

asio::awaitable<LineReader::Wait> LineReader::fill(std::chrono::milliseconds timeout) {
  if (since_pause_ >= pause_after) {
    since_pause_ = 0;
    co_await asio::post(socket_.get_executor(), asio::use_awaitable);
  }
  if (sweeper_.past_end()) co_return Wait::timed_out;
  deadline_.arm(timeout);
  Wait result = read_now();
  while (result == Wait::woken) {
    release_if_empty();
    if (deadline_.take_wake()) break;
    boost::system::error_code ec;
    auto token = asio::redirect_error(asio::use_awaitable, ec);
    co_await socket_.async_wait(asio::socket_base::wait_read, token);
    if (deadline_.expired()) {
      result = Wait::timed_out;
    } else if (!ec) {
      since_pause_ = 0;
      result = read_now();
    } else if (ec != asio::error::operation_aborted) {
      result = Wait::closed;
    }
  }
  deadline_.disarm();
  co_return result;
}

asio::awaitable<LineReader::Wait> LineReader::write(std::string_view octets, std::chrono::milliseconds timeout) {
  deadline_.arm(timeout);
  while (!octets.empty()) {
    boost::system::error_code ec;
    const std::size_t sent = socket_.write_some(asio::buffer(octets.data(), octets.size()), ec);
    octets.remove_prefix(sent);
    if (sent > 0) deadline_.arm(timeout);
    if (ec && ec != asio::error::would_block) co_return Wait::closed;
    if (!ec) continue;
    if (deadline_.expired()) co_return Wait::timed_out;
    auto token = asio::redirect_error(asio::use_awaitable, ec);
    co_await socket_.async_wait(asio::socket_base::wait_write, token);
  }
  deadline_.disarm();
  co_return Wait::ready;
}

}  // namespace lmtpd::server
