#include "bench/load/runner.h"

#include <utility>  // boost 1.74's awaitable.hpp forgets it

#include <boost/asio.hpp>

#include <charconv>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace bench::load {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Protocol = asio::generic::stream_protocol;

Protocol::endpoint endpoint_of(const std::string& address) {
  if (address.starts_with("unix:")) return asio::local::stream_protocol::endpoint(address.substr(5));
  const std::size_t colon = address.rfind(':');
  if (!address.starts_with("inet:") || colon <= 5) throw std::invalid_argument("address must be unix:/path or inet:host:port");
  const auto host = asio::ip::make_address(address.substr(5, colon - 5));
  return asio::ip::tcp::endpoint(host, static_cast<unsigned short>(std::stoi(address.substr(colon + 1))));
}

std::chrono::microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

// One run: what all its sessions share. One thread, so no lock.
class Run {
 public:
  explicit Run(const LoadOptions& options) : options_(options), endpoint_(endpoint_of(options.address)), ticker_(context_) {}

  LoadResult go() {
    start_ = Clock::now();
    measured_from_ = start_ + options_.warm_up;
    for (int i = 0; i < options_.sessions; ++i) asio::co_spawn(context_, session(i), asio::detached);
    ++running_;
    asio::co_spawn(context_, tick(), asio::detached);
    context_.run();
    const auto first = std::max(start_, measured_from_);
    result_.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(last_reply_ - first);
    return std::move(result_);
  }

 private:
  struct Connection {
    explicit Connection(asio::io_context& context) : socket(context) {}
    Protocol::socket socket;
    std::string buffer;
    int delivered = 0;
  };

  struct Shipment {
    std::string label;
    std::vector<std::string> recipients;
    std::string message;
    Clock::time_point due;
    bool measured = false;
  };

  bool take(Shipment& shipment, MessageSource& source) {
    const auto now = Clock::now();
    if (options_.messages > 0 && next_ >= options_.messages) return false;
    if (options_.messages == 0 && now - start_ >= options_.duration + options_.warm_up) return false;
    const std::uint64_t number = next_++;
    shipment.label = "m" + std::to_string(options_.seed) + "-" + std::to_string(number);
    shipment.recipients.clear();
    for (int i = 0; i < options_.recipients_per_message; ++i) {
      shipment.recipients.push_back(options_.recipients[recipient_++ % options_.recipients.size()]);
    }
    shipment.message = source.next(shipment.label, shipment.recipients.front());
    shipment.due = options_.rate > 0
                       ? start_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(static_cast<double>(number) / options_.rate))
                       : now;
    return true;
  }

  asio::awaitable<void> session(int number) {
    ++running_;
    MessageSource source(options_.seed * 1'000'003 + static_cast<std::uint64_t>(number), options_.mix);
    std::unique_ptr<Connection> connection;
    Shipment shipment;
    while (take(shipment, source)) {
      if (shipment.due > Clock::now()) {
        asio::steady_timer timer(context_, shipment.due);
        co_await timer.async_wait(asio::use_awaitable);
      }
      bool lost = false;
      try {
        if (!connection) {
          connection = std::make_unique<Connection>(context_);
          co_await greet(*connection);
        }
        co_await deliver(*connection, shipment);
      } catch (const std::exception& e) {
        lost = true;
        note_lost(shipment, e.what());
      }
      const bool worn = connection && options_.messages_per_session > 0 && connection->delivered >= options_.messages_per_session;
      if (lost || worn) connection.reset();
    }
    if (connection) {
      const std::string quit = "QUIT\r\n";
      error_code ignored;
      co_await asio::async_write(connection->socket, asio::buffer(quit), asio::redirect_error(asio::use_awaitable, ignored));
    }
    finish();
  }

  void finish() {
    if (--running_ == 1) ticker_.cancel();
  }

  void note_lost(const Shipment& shipment, std::string_view why) {
    result_.replies["lost"] += shipment.recipients.size();
    if (why.starts_with("protocol:")) result_.faults.emplace_back(why);
  }

  asio::awaitable<void> greet(Connection& c) {
    co_await c.socket.async_connect(endpoint_, asio::use_awaitable);
    const std::string greeting = co_await reply(c);
    expect(greeting, "220");
    const std::string hello = options_.smtp ? "EHLO load.example.net\r\n" : "LHLO load.example.net\r\n";
    co_await asio::async_write(c.socket, asio::buffer(hello), asio::use_awaitable);
    const std::string answer = co_await reply(c);
    expect(answer, "250");
  }

  asio::awaitable<void> deliver(Connection& c, Shipment& shipment) {
    const auto begin = options_.rate > 0 ? shipment.due : Clock::now();
    shipment.measured = Clock::now() >= measured_from_;
    std::string commands = "MAIL FROM:<" + options_.sender + "> SIZE=" + std::to_string(shipment.message.size()) + "\r\n";
    for (const std::string& recipient : shipment.recipients) commands += "RCPT TO:<" + recipient + ">\r\n";
    commands += "DATA\r\n";
    co_await asio::async_write(c.socket, asio::buffer(commands), asio::use_awaitable);
    const std::string mail = co_await reply(c);
    std::vector<std::size_t> accepted;
    for (std::size_t i = 0; i < shipment.recipients.size(); ++i) {
      const std::string rcpt = co_await reply(c);
      if (rcpt.starts_with("250")) {
        accepted.push_back(i);
      } else {
        count(rcpt, shipment);
      }
    }
    const std::string data = co_await reply(c);
    if (!data.starts_with("354")) {
      if (!accepted.empty()) count(data, shipment);
      const std::string reset = "RSET\r\n";
      co_await asio::async_write(c.socket, asio::buffer(reset), asio::use_awaitable);
      const std::string done = co_await reply(c);
      expect(done, "250");
      co_return;
    }
    if (accepted.empty()) throw std::runtime_error("protocol: 354 without an accepted recipient");
    shipment.message += ".\r\n";
    co_await asio::async_write(c.socket, asio::buffer(shipment.message), asio::use_awaitable);
    const auto dot = Clock::now();
    std::size_t stored = 0;
    std::string outcome;
    for (const std::size_t i : accepted) {
      // RFC 2033 §4.2: LMTP has a reply per recipient, SMTP one for all.
      if (!options_.smtp || i == accepted.front()) outcome = co_await reply(c);
      count(outcome, shipment);
      if (!outcome.starts_with("250")) continue;
      ++stored;
      if (options_.keep_labels) result_.acknowledged[shipment.recipients[i]].push_back(shipment.label);
    }
    ++c.delivered;
    settle(shipment, stored, begin, dot);
  }

  void settle(const Shipment& shipment, std::size_t stored, Clock::time_point begin, Clock::time_point dot) {
    if (!shipment.measured) return;
    last_reply_ = Clock::now();
    ++result_.sent;
    result_.latency.record(since(begin));
    result_.commit_latency.record(since(dot));
    if (stored != shipment.recipients.size()) return;
    ++result_.stored;
    result_.octets += shipment.message.size() - 3;
  }

  void count(const std::string& reply_line, const Shipment& shipment) {
    if (shipment.measured) ++result_.replies[reply_line.substr(0, 9)];
  }

  static void expect(const std::string& line, std::string_view code) {
    if (!line.starts_with(code)) throw std::runtime_error("protocol: expected " + std::string(code) + ", got " + line);
  }

  // The last line of the next reply.
  asio::awaitable<std::string> reply(Connection& c) {
    for (;;) {
      const std::size_t end = c.buffer.find("\r\n");
      if (end == std::string::npos) {
        std::array<char, 4096> chunk;  // NOLINT: filled by the read
        const std::size_t n = co_await c.socket.async_read_some(asio::buffer(chunk), asio::use_awaitable);
        c.buffer.append(chunk.data(), n);
        continue;
      }
      std::string line = c.buffer.substr(0, end);
      c.buffer.erase(0, end + 2);
      if (line.size() < 4 || (line[3] != ' ' && line[3] != '-')) throw std::runtime_error("protocol: no reply line: " + line);
      if (line[3] == ' ') co_return line;
    }
  }

  asio::awaitable<void> tick() {
    while (running_ > 1 && options_.progress) {
      ticker_.expires_after(std::chrono::milliseconds(100));
      error_code ignored;
      co_await ticker_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      options_.progress(result_.sent);
    }
  }

  const LoadOptions& options_;
  asio::io_context context_{1};
  Protocol::endpoint endpoint_;
  asio::steady_timer ticker_;
  Clock::time_point start_;
  Clock::time_point measured_from_;
  Clock::time_point last_reply_;
  std::uint64_t next_ = 0;
  std::uint64_t recipient_ = 0;
  int running_ = 0;
  LoadResult result_;
};

}  // namespace

LoadResult run(const LoadOptions& options) {
  if (options.recipients.empty()) throw std::invalid_argument("at least one recipient is needed");
  return Run(options).go();
}

}  // namespace bench::load
