#include "lmtpd/server/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <random>
#include <string>
#include <thread>
#include <vector>

namespace lmtpd::server {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using testing::ElementsAre;
using Wait = LineReader::Wait;

constexpr milliseconds patience{60'000};  // for what must happen

// A reader at one end of a socket pair, the test at the other.
class LineReaderTest : public testing::Test {
 protected:
  LineReaderTest() : sweeper_(context_), socket_(context_) {
    int pair[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    socket_.assign(asio::generic::stream_protocol(AF_UNIX, 0), pair[0]);
    peer_ = pair[1];
    sweeper_.set_tick(milliseconds(5));
    reader_ = std::make_unique<LineReader>(socket_, sweeper_);
  }
  ~LineReaderTest() override {
    close_peer();
    reader_.reset();
    context_.restart();
    context_.poll();
  }
  void close_peer() {
    if (peer_ >= 0) ::close(peer_);
    peer_ = -1;
  }
  void send(std::string_view octets) {
    EXPECT_EQ(::send(peer_, octets.data(), octets.size(), MSG_NOSIGNAL), static_cast<ssize_t>(octets.size()));
  }
  Wait fill(milliseconds timeout = patience) { return finish(reader_->fill(timeout)); }
  Wait finish(asio::awaitable<Wait> operation) {
    Wait result = Wait::closed;
    bool done = false;
    asio::co_spawn(context_, std::move(operation), [&](const std::exception_ptr& error, Wait wait) {
      EXPECT_FALSE(error);
      result = wait;
      done = true;
    });
    context_.restart();
    while (!done && context_.run_one() > 0) {
    }
    EXPECT_TRUE(done);
    return result;
  }
  // All complete lines in the buffer; "!" for one that was too long.
  void take_lines(std::vector<std::string>& lines) {
    while (true) {
      std::string_view line;
      const LineReader::Line kind = reader_->next_line(line);
      if (kind == LineReader::Line::need_more) return;
      lines.emplace_back(kind == LineReader::Line::line ? line : "!");
    }
  }

  asio::io_context context_{1};
  Sweeper sweeper_;
  Socket socket_;
  int peer_ = -1;
  std::unique_ptr<LineReader> reader_;
};

// Law: however the octets are cut on their way, the lines are the same.
TEST_F(LineReaderTest, AnySegmentationGivesTheSameLines) {
  const std::string long_line(20'000, 'x');
  const std::string input = "LHLO a\r\n\r\nbare\nline\rfeed\r\r\n" + long_line + "\r\nQUIT\r\n";
  const std::vector<std::string> wanted = {"LHLO a", "", "bare\nline\rfeed\r", "!", "QUIT"};
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> lines;
    std::size_t at = 0;
    while (at < input.size()) {
      const std::size_t most = round % 3 == 0 ? 1500 : round % 3 == 1 ? 40 : 9000;
      const std::size_t length =
          std::min<std::size_t>(input.size() - at, std::uniform_int_distribution<std::size_t>(1, most)(random));
      send(std::string_view(input).substr(at, length));
      at += length;
      ASSERT_EQ(fill(), Wait::ready);
      take_lines(lines);
    }
    ASSERT_EQ(lines, wanted) << "round " << round;
  }
}

TEST_F(LineReaderTest, HandsOutChunksBetweenLines) {
  send("BDAT 4\r\nab\r\nNOOP\r\n");
  ASSERT_EQ(fill(), Wait::ready);
  std::string_view line;
  ASSERT_EQ(reader_->next_line(line), LineReader::Line::line);
  EXPECT_EQ(line, "BDAT 4");
  EXPECT_EQ(reader_->buffered().substr(0, 4), "ab\r\n");
  reader_->consume(4);
  std::vector<std::string> lines;
  take_lines(lines);
  EXPECT_THAT(lines, ElementsAre("NOOP"));
  EXPECT_TRUE(reader_->buffered().empty());
}

TEST_F(LineReaderTest, SilenceTimesOut) {
  EXPECT_EQ(fill(milliseconds(20)), Wait::timed_out);
  send("QUIT\r\n");
  EXPECT_EQ(fill(), Wait::ready);  // a time-out does not poison the reader
}

TEST_F(LineReaderTest, EndOfFileAndReset) {
  send("half");
  close_peer();
  EXPECT_EQ(fill(), Wait::ready);
  EXPECT_EQ(fill(), Wait::closed);
}

TEST_F(LineReaderTest, IsWokenOnceAndAlsoBetweenWaits) {
  sweeper_.wake_all();
  EXPECT_EQ(fill(), Wait::woken);
  EXPECT_EQ(fill(milliseconds(20)), Wait::timed_out);
  asio::post(context_, [this] { sweeper_.wake_all(); });
  EXPECT_EQ(fill(), Wait::woken);
}

TEST_F(LineReaderTest, NothingIsReadAfterTheEnd) {
  sweeper_.end_at(Clock::now());
  send("NOOP\r\n");
  EXPECT_EQ(fill(), Wait::timed_out);
}

TEST_F(LineReaderTest, HoldsNoBufferWhileIdle) {
  send("NOOP\r\n");
  ASSERT_EQ(fill(), Wait::ready);
  std::vector<std::string> lines;
  take_lines(lines);
  EXPECT_EQ(fill(milliseconds(10)), Wait::timed_out);
  EXPECT_EQ(reader_->buffered().data(), nullptr);
}

TEST_F(LineReaderTest, WritesMoreThanThePeerTakesAtOnce) {
  const std::string octets(3'000'000, 'y');
  std::string received;
  std::thread peer([&] {
    char piece[65536];
    ssize_t got = 0;
    while ((got = ::recv(peer_, piece, sizeof piece, 0)) > 0) received.append(piece, static_cast<std::size_t>(got));
  });
  EXPECT_EQ(finish(reader_->write(octets, patience)), Wait::ready);
  ::shutdown(socket_.native_handle(), SHUT_WR);
  peer.join();
  EXPECT_EQ(received, octets);
}

TEST_F(LineReaderTest, APeerThatDoesNotReadTimesOut) {
  const std::string octets(3'000'000, 'y');
  EXPECT_EQ(finish(reader_->write(octets, milliseconds(20))), Wait::timed_out);
  close_peer();
  EXPECT_EQ(finish(reader_->write("250\r\n", patience)), Wait::closed);
}

}  // namespace
}  // namespace lmtpd::server
