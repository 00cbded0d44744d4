// The part of Session in which a message arrives and leaves: DATA or BDAT → Reception → pipeline → one reply per
// recipient.
#include <algorithm>
#include <vector>

#include "lmtpd/observe/metrics.h"
#include "lmtpd/protocol/dot_decoder.h"
#include "lmtpd/server/session.h"

namespace lmtpd::server {

namespace asio = boost::asio;
using protocol::Reply;
using storage::Reason;

asio::awaitable<void> Session::receive_message(const protocol::Step& step) {
  const bool room = co_await begin_reception();
  if (!room) {
    const Reply reply = reply_for(Reason::busy, OverQuota::temporary);
    say(reply);
    log_event(observe::Event::message_refused, "no memory for the message", "452 4.3.1");
    reception_.reset();
    co_return;
  }
  say(step.reply);
  co_await flush();
  owed_ = transaction_.recipients();
  begin_transfer();
  co_await read_data();
  if (reception_) co_await finish_message();
}

// The message's time begins, unless it did with an earlier chunk.
void Session::begin_transfer() {
  if (!message_due_) message_due_ = Clock::now() + worker_.limits()->data_total;
}

// Makes the place for the message and reserves its memory.
asio::awaitable<bool> Session::begin_reception() {
  const protocol::Envelope& envelope = dialogue_->envelope();
  reception_ =
      std::make_unique<Reception>(service_.pipeline, service_.message, worker_.limits(), transaction_.sender());
  const std::uint64_t limit = dialogue_->options().message_size;
  const bool reserved = co_await reception_->reserve(envelope.size, limit);
  co_return reserved;
}

// RFC 5321 §4.5.2. Past the size limit the octets are still consumed up to the real end, so that nothing in the message
// is ever taken for a command. Afterwards reception_ is empty if the end of data did not come.
asio::awaitable<void> Session::read_data() {
  protocol::DotDecoder decoder(dialogue_->options().message_size);
  std::vector<std::string_view> pieces;
  while (open_) {
    pieces.clear();
    const std::size_t consumed = decoder.decode(reader_.buffered(), pieces);
    if (decoder.too_large()) reception_->refuse(Reason::message_too_large);
    std::size_t octets = 0;
    for (const std::string_view piece : pieces) octets += piece.size();
    if (reception_->needs_room(octets)) co_await reception_->make_room(octets);
    for (const std::string_view piece : pieces) reception_->feed(piece);
    reader_.consume(consumed);
    if (decoder.finished()) break;
    co_await more_data();
  }
  if (!decoder.finished()) {
    reception_.reset();
  } else if (decoder.doubtful_end()) {
    open_ = false;  // what follows may be the rest of a message that another system would not have ended here
  }
}

asio::awaitable<void> Session::more_data() {
  co_await flush();
  if (!open_) co_return;
  // Silence has its limit and the whole message has another: octets that trickle in do not hold a session and its memory for hours.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*message_due_ - Clock::now());
  const auto patience = std::min(left, worker_.limits()->data_idle);
  Wait wait = Wait::timed_out;
  if (left.count() > 0) wait = co_await reader_.fill(patience);
  if (wait == Wait::closed || wait == Wait::timed_out) stop_reading(wait);
}

// RFC 3030 §2
asio::awaitable<void> Session::receive_chunk(const protocol::Step& step) {
  begin_transfer();
  if (!reception_) {
    const bool room = co_await begin_reception();
    if (!room) reception_->refuse(Reason::busy);
  }
  if (step.last) owed_ = transaction_.recipients();
  co_await read_octets(step.octets);
  if (!open_) {
    reception_.reset();
  } else if (step.last) {
    co_await finish_message();
  } else if (const Reason refusal = reception_->refusal(); refusal != Reason::ok) {
    const Reply reply = reply_for(refusal, OverQuota::temporary);
    const protocol::Step refused = dialogue_->refuse_chunks(reply);  // its octets have been read already
    say(refused.reply, refused.copies);
  } else {
    say(step.reply);
  }
}

// Reads exactly that many octets; they go to the reception, or nowhere if there is none.
asio::awaitable<void> Session::read_octets(std::uint64_t octets) {
  while (open_ && octets > 0) {
    const std::string_view all = reader_.buffered();
    const std::string_view mine = all.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(all.size(), octets)));
    if (mine.empty()) {
      co_await more_data();
      continue;
    }
    if (reception_) {
      if (reception_->needs_room(mine.size())) co_await reception_->make_room(mine.size());
      reception_->feed(mine);
    }
    octets -= mine.size();
    reader_.consume(mine.size());
  }
}

// RFC 3030 §2: the octets of a refused chunk are still read. The reply goes first: a lie about the length must not make
// the client wait.
asio::awaitable<void> Session::skip_chunk(const protocol::Step& step) {
  if (reception_) reception_->refuse(Reason::message_too_large);  // or what it was refused for before
  say(step.reply, step.copies);
  if (step.last && transaction_.recipients() > 0) {
    const storage::Status status(reception_ ? reception_->refusal() : Reason::message_too_large,
                                 "refused in a BDAT chunk");
    transaction_.refuse_all(status, reception_ ? reception_->octets() : 0);
  }
  owed_ = 0;
  co_await flush();
  begin_transfer();
  co_await read_octets(step.octets);
}

// The end of data has come: whatever happens to the connection, the message now gets its outcome.
asio::awaitable<void> Session::finish_message() {
  service_.metrics.messages_received.add();
  service_.metrics.octets_received.add(reception_->octets());
  storage::Message message;
  const Reason verdict = reception_->finish(message);
  if (verdict == Reason::ok) {
    co_await deliver(std::move(message));
  } else {
    const storage::Status status(verdict);
    say_all(transaction_.refuse_all(status, reception_->octets()));
  }
  owed_ = 0;
  rested_ = true;
  dialogue_->message_done();
}

asio::awaitable<void> Session::deliver(storage::Message message) {
  if (message.facts.nul_bytes > 0 && worker_.limits()->nul_bytes == NulBytes::replace) {
    log_event(observe::Event::nul_replaced, std::to_string(message.facts.nul_bytes) + " octets");
  }
  co_await flush();  // replies to earlier commands do not wait for this commit
  storage::Delivery delivery = transaction_.delivery(std::move(message), !worker_.limits()->recognise_redelivery);
  delivery::Reservation memory = reception_->take_memory();
  reception_.reset();
  const delivery::Outcome outcome = co_await service_.pipeline.deliver(std::move(delivery), std::move(memory));
  say_all(transaction_.replies(outcome));
  unconfirmed_ = transaction_.recipients();
  unconfirmed_queue_id_ = transaction_.queue_id();
}

void Session::end_transaction() {
  transaction_.clear();
  reception_.reset();
  message_due_.reset();
}

}  // namespace lmtpd::server
