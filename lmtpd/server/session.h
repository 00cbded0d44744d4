// lmtpd/server/session.h: one connection, one coroutine: the spine of the daemon. Comes in: octets. Goes out: replies
// to the client, and deliveries to the pipeline. Lives and dies on one worker's thread; owns its transaction, and
// nothing else's state.
#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lmtpd/observe/mail_log.h"
#include "lmtpd/protocol/command.h"
#include "lmtpd/protocol/dialogue.h"
#include "lmtpd/protocol/reply.h"
#include "lmtpd/server/line_reader.h"
#include "lmtpd/server/peer.h"
#include "lmtpd/server/reception.h"
#include "lmtpd/server/service.h"
#include "lmtpd/server/transaction.h"
#include "lmtpd/server/worker.h"

namespace lmtpd::server {

class Session {
 public:
  // REQUIRES worker.session_begins() was called for it; worker and service outlive the session.
  Session(Socket socket, Worker& worker, Service& service);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // From the peer check to the last reply. An exception on the way is a bug of ours: 451 for what is open, logged,
  // closed.
  [[nodiscard]] boost::asio::awaitable<void> run();

 private:
  using Wait = LineReader::Wait;

  class AskedRecipient {
   public:
    AskedRecipient(protocol::Path path, protocol::Reply accepted)
        : path(std::move(path)), accepted(std::move(accepted)) {}
    protocol::Path path;
    protocol::Reply accepted;
  };

  // --- connection (session.cc) ---
  boost::asio::awaitable<void> serve();
  [[nodiscard]] boost::asio::awaitable<bool> admit();
  [[nodiscard]] boost::asio::awaitable<bool> read_proxy_header();
  boost::asio::awaitable<void> wait_for_command();
  boost::asio::awaitable<void> flush();
  void stop_reading(Wait why);
  void fail(std::string_view what);

  // --- commands (session.cc) ---
  boost::asio::awaitable<void> obey(const protocol::Command& command);
  boost::asio::awaitable<void> carry_out(const protocol::Step& step);
  boost::asio::awaitable<void> settle_recipients();
  void settle_recipient(const storage::Resolution& answer);
  void begin_mail(const protocol::Step& step);

  // --- messages (session_message.cc) ---
  boost::asio::awaitable<void> receive_message(const protocol::Step& step);
  boost::asio::awaitable<void> receive_chunk(const protocol::Step& step);
  boost::asio::awaitable<void> skip_chunk(const protocol::Step& step);
  void begin_transfer();
  [[nodiscard]] boost::asio::awaitable<bool> begin_reception();
  boost::asio::awaitable<void> read_data();
  boost::asio::awaitable<void> read_octets(std::uint64_t octets);
  boost::asio::awaitable<void> more_data();
  boost::asio::awaitable<void> finish_message();
  boost::asio::awaitable<void> deliver(storage::Message message);
  void end_transaction();

  // --- words (session.cc) ---
  void say(const protocol::Reply& reply, std::size_t copies = 1);
  void say_all(const std::vector<protocol::Reply>& replies);
  void log_event(observe::Event event, std::string_view detail, std::string_view reply = {});
  void log_skipped(std::string_view recipient, std::string_view target);

  Socket socket_;
  Worker& worker_;
  Service& service_;
  LineReader reader_;
  const std::string name_;
  Peer peer_;
  std::optional<protocol::Dialogue> dialogue_;  // made once it is known who the peer is
  std::optional<Clock::time_point> line_due_;     // while a command line is awaited
  std::optional<Clock::time_point> message_due_;  // from DATA or the first BDAT to the end of the transaction
  bool open_ = true;                            // go on with the next command
  bool rested_ = false;                         // a message got its replies, and the client has said nothing since
  std::string out_;              // replies not yet written: those to pipelined commands go out in one write
  std::size_t owed_ = 0;         // replies that the client waits for, besides those of asked_
  std::size_t unconfirmed_ = 0;  // replies after the end of data among out_
  std::string unconfirmed_queue_id_;
  std::deque<AskedRecipient> asked_;  // RCPTs that will be looked up together
  Transaction transaction_;
  std::unique_ptr<Reception> reception_;  // while a message arrives
};

}  // namespace lmtpd::server
