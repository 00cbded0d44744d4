#include "lmtpd/server/session.h"

#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <vector>

#include "lmtpd/observe/metrics.h"
#include "lmtpd/protocol/proxy_header.h"

namespace lmtpd::server {

namespace asio = boost::asio;
using protocol::Action;
using protocol::Reply;
using storage::Reason;

namespace {

constexpr std::size_t most_unwritten = 16 * 1024;  // octets of replies held back for one write
constexpr std::chrono::milliseconds drain_patience{5000};  // for a client whose transaction is about to begin

Reply shutting_down() {
  return Reply(421, "4.3.2", "Shutting down, try again later");
}
Reply timed_out() {
  return Reply(421, "4.4.2", "Timeout, closing connection");
}
Reply not_allowed() {
  return Reply(421, "4.7.0", "Not allowed to connect here");
}

OverQuota over_quota(const Limits& limits) {
  return limits.over_quota_permanent ? OverQuota::permanent : OverQuota::temporary;
}

protocol::DialogueOptions dialogue_options(const Service& service, const Limits& limits, const Peer& peer) {
  protocol::DialogueOptions options;
  options.hostname = service.hostname;
  options.message_size = limits.message_size;
  options.max_recipients = limits.recipients;
  options.max_bad_commands = limits.bad_commands;
  options.xforward = peer.is_unix || contains(service.xforward_networks, peer.address);
  return options;
}

}  // namespace

Session::Session(Socket socket, Worker& worker, Service& service)
    : socket_(std::move(socket)),
      worker_(worker),
      service_(service),
      reader_(socket_, worker.sweeper()),
      name_(service.next_session_name()),
      peer_(peer_of(socket_)),
      transaction_(service.mail_log, name_) {
  service_.metrics.sessions_accepted.add();
  service_.metrics.sessions_open.add();
  if (peer_.is_unix) return;
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
}

Session::~Session() {
  boost::system::error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  service_.metrics.sessions_open.subtract();
  worker_.session_ends();
}

asio::awaitable<void> Session::run() {
  std::string failure;
  bool failed = false;
  try {
    co_await serve();
  } catch (const std::exception& error) {
    failed = true;
    failure = error.what();
  }
  if (!failed) co_return;
  fail(failure);
  try {
    co_await flush();
  } catch (const std::exception&) {
    // Nobody can be told any more; the connection closes.
  }
}

asio::awaitable<void> Session::serve() {
  const bool admitted = co_await admit();
  if (admitted) {
    dialogue_.emplace(dialogue_options(service_, *worker_.limits(), peer_));
    say(dialogue_->greeting());
  }
  while (open_) {
    std::string_view line;
    const LineReader::Line kind = reader_.next_line(line);
    if (kind == LineReader::Line::need_more) {
      co_await settle_recipients();
      co_await wait_for_command();
      continue;
    }
    line_due_.reset();
    const bool whole = kind == LineReader::Line::line;
    const protocol::Command command = whole ? protocol::parse_command(line) : protocol::line_too_long();
    co_await obey(command);
  }
  co_await flush();
}

asio::awaitable<bool> Session::admit() {
  const bool behind_proxy = !peer_.is_unix && contains(service_.proxy_networks, peer_.address);
  if (behind_proxy) {
    const bool known = co_await read_proxy_header();
    if (!known) open_ = false;
  } else if (!service_.peers.admits(peer_)) {
    const Reply refusal = not_allowed();
    say(refusal);
    service_.metrics.sessions_refused.add();
    log_event(observe::Event::session_refused, "peer is not in the allow list", "421 4.7.0");
    open_ = false;
  }
  co_return open_;
}

// The header comes before anything else and before our greeting; without a valid one the connection is closed without a
// word.
asio::awaitable<bool> Session::read_proxy_header() {
  while (true) {
    const protocol::ProxyHeader header = protocol::parse_proxy_header(reader_.buffered());
    if (header.kind == protocol::ProxyHeader::Kind::invalid) break;
    if (header.kind != protocol::ProxyHeader::Kind::need_more) {
      boost::system::error_code ec;
      const asio::ip::address address = asio::ip::make_address(header.peer, ec);
      if (header.kind == protocol::ProxyHeader::Kind::proxied && !ec) peer_ = peer_at(address);
      reader_.consume(header.consumed);
      co_return true;
    }
    const Wait wait = co_await reader_.fill(worker_.limits()->idle);
    if (wait == Wait::closed) co_return false;  // a health check that only connects
    if (wait == Wait::timed_out || worker_.draining()) break;
  }
  service_.metrics.sessions_refused.add();
  log_event(observe::Event::session_refused, "no valid PROXY header");
  co_return false;
}

// RFC 2920 §3.2: all replies are on their way before we wait for the client. While draining, a connection ends where no mail is deferred
// by it: behind a message (Postfix begins anew with RSET, and makes a new connection if that fails). A client that has just connected or
// said RSET is about to send MAIL and would take 421 as a failed delivery; its one transaction is waited for.
// RFC 5321 §4.5.3.2: the time is one command's, however many pieces its line comes in. Between chunks the message's own time goes on.
asio::awaitable<void> Session::wait_for_command() {
  co_await flush();
  const Clock::time_point now = Clock::now();
  if (!line_due_) line_due_ = now + worker_.limits()->idle;
  const Clock::time_point due = message_due_ ? std::min(*line_due_, *message_due_) : *line_due_;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - now);
  if (open_ && left.count() <= 0) stop_reading(Wait::timed_out);
  while (open_) {
    const bool leaving = worker_.draining() && !dialogue_->in_transaction();
    if (leaving && rested_) {
      const Reply reply = shutting_down();
      say(reply);
      open_ = false;
      break;
    }
    const auto patience = leaving ? std::min(drain_patience, left) : left;
    const Wait wait = co_await reader_.fill(patience);
    if (wait == Wait::ready) break;
    if (wait != Wait::woken) stop_reading(wait);
  }
}

void Session::stop_reading(Wait why) {
  open_ = false;
  if (why == Wait::timed_out) {
    const bool draining = worker_.draining();
    say(draining ? shutting_down() : timed_out());
    if (draining) return;
    const bool too_slow = message_due_ && Clock::now() >= *message_due_;
    service_.metrics.sessions_timed_out.add();
    if (too_slow) service_.metrics.messages_too_slow.add();
    log_event(observe::Event::session_closed,
              too_slow ? "the message took too long to arrive" : "the client was silent for too long", "421 4.4.2");
  } else if (dialogue_->in_transaction()) {
    // RFC 5321 §4.1.1.10: a connection that ends without QUIT aborts its transaction. Between transactions it is
    // everyday life.
    service_.metrics.sessions_lost.add();
    log_event(observe::Event::client_gone, "before the end of data; nothing was stored");
  }
}

asio::awaitable<void> Session::flush() {
  if (out_.empty()) co_return;
  const std::string_view octets = out_;
  const Wait wait = co_await reader_.write(octets, worker_.limits()->data_idle);
  out_ = std::string();
  const std::size_t dropped = std::exchange(unconfirmed_, 0);
  if (wait == Wait::ready) co_return;
  open_ = false;
  if (dropped == 0) co_return;
  // What was stored stays stored: the client's retry will be recognised.
  service_.metrics.replies_dropped.add(dropped);
  transaction_.begin({}, unconfirmed_queue_id_, OverQuota::temporary);
  log_event(observe::Event::client_gone, "after the end of data; the message has its outcome");
}

void Session::fail(std::string_view what) {
  open_ = false;
  reception_.reset();
  const Reply reply = reply_for(Reason::internal, OverQuota::temporary);
  const std::size_t copies = owed_ + asked_.size();
  if (copies > 0) say(reply, copies);
  log_event(observe::Event::session_failed, what, copies > 0 ? "451 4.3.0" : "");
}

asio::awaitable<void> Session::obey(const protocol::Command& command) {
  const auto* rcpt = std::get_if<protocol::Rcpt>(&command);
  if (!rcpt) co_await settle_recipients();
  if (worker_.draining() && rested_ && !std::holds_alternative<protocol::Quit>(command)) {
    say(shutting_down());
    open_ = false;
    co_return;
  }
  owed_ = 1;
  rested_ = false;
  const protocol::Step step = dialogue_->on(command);
  if (step.action == Action::look_up && rcpt) {
    asked_.emplace_back(rcpt->recipient, step.reply);
    owed_ = 0;
    co_return;
  }
  if (rcpt) co_await settle_recipients();
  co_await carry_out(step);
  owed_ = 0;
  if (out_.size() > most_unwritten) co_await flush();
}

asio::awaitable<void> Session::carry_out(const protocol::Step& step) {
  switch (step.action) {
    case Action::reply:
    case Action::close:
      say(step.reply, step.copies);
      if (step.reply.code() >= 500) service_.metrics.commands_rejected.add();
      if (step.action == Action::close) open_ = false;
      if (step.reply.code() == 421) log_event(observe::Event::session_closed, "too many bad commands", "421 4.7.0");
      break;
    case Action::begin_mail:
      begin_mail(step);
      break;
    case Action::look_up:  // gathered in obey()
      break;
    case Action::receive_message:
      co_await receive_message(step);
      break;
    case Action::receive_chunk:
      co_await receive_chunk(step);
      break;
    case Action::skip_chunk:
      co_await skip_chunk(step);
      break;
  }
  if (!dialogue_->in_transaction()) end_transaction();
}

void Session::begin_mail(const protocol::Step& step) {
  const protocol::Envelope& envelope = dialogue_->envelope();
  transaction_.begin(envelope.sender, envelope.origin.ident, over_quota(*worker_.limits()));
  const Reason admission = service_.pipeline.admission();
  dialogue_->answer_mail(storage::is_stored(admission));
  if (storage::is_stored(admission)) {
    say(step.reply);
    return;
  }
  const Reply refusal = reply_for(admission, OverQuota::temporary);
  say(refusal);
  log_event(observe::Event::message_refused, storage::to_string(admission),
            std::to_string(refusal.code()) + " " + refusal.enhanced());
}

// One question for all RCPTs that had arrived together.
asio::awaitable<void> Session::settle_recipients() {
  if (asked_.empty()) co_return;
  std::vector<storage::Address> addresses;
  addresses.reserve(asked_.size());
  for (const AskedRecipient& asked : asked_) addresses.emplace_back(asked.path.local, asked.path.domain);
  std::vector<storage::Resolution> answers = co_await service_.pipeline.resolve(std::move(addresses));
  answers.resize(asked_.size());  // one that is missing is "don't know"
  for (const storage::Resolution& answer : answers) settle_recipient(answer);
}

void Session::settle_recipient(const storage::Resolution& answer) {
  const AskedRecipient& asked = asked_.front();  // stays there until it has its reply: see fail()
  const bool accepted = answer.status.ok() && !answer.targets.empty();
  dialogue_->answer_recipient(accepted);
  if (accepted) {
    transaction_.add_recipient(asked.path.text, answer.targets);
    for (const std::string& skipped : answer.skipped) log_skipped(asked.path.text, skipped);
    say(asked.accepted);
  } else {
    const storage::Status no_target(Reason::internal, "the look-up gave no target");
    say(transaction_.refuse_recipient(asked.path.text, answer.status.ok() ? no_target : answer.status));
  }
  asked_.pop_front();
}

void Session::log_skipped(std::string_view recipient, std::string_view target) {
  observe::EventLine line;
  line.event = observe::Event::targets_skipped;
  line.queue_id = transaction_.queue_id();
  line.session = name_;
  line.recipient = recipient;
  line.detail = target;
  service_.mail_log.event(line);
}

void Session::say(const Reply& reply, std::size_t copies) {
  for (std::size_t i = 0; i < copies; ++i) reply.append_to(out_);
}

void Session::say_all(const std::vector<Reply>& replies) {
  for (const Reply& reply : replies) reply.append_to(out_);
}

void Session::log_event(observe::Event event, std::string_view detail, std::string_view reply) {
  observe::EventLine line;
  line.event = event;
  line.queue_id = transaction_.queue_id();
  line.session = name_;
  line.peer = peer_.text;
  line.sender = transaction_.sender();
  line.reply = reply;
  line.detail = detail;
  service_.mail_log.event(line);
}

}  // namespace lmtpd::server
