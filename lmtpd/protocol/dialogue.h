// lmtpd/protocol/dialogue.h: which command may follow which; the state of one connection and its transaction (RFC 2033,
// 5321 §4.1.4, 3030). In: Commands, and the answers to what only the session can know. Out: a Step: what to send and
// what to do. No socket, no clock, no look-up. One session, one thread.
//
// How the session drives it:
//   Step step = dialogue.on(parse_command(line));
//   reply            send step.reply step.copies times
//   close            the same, then close the connection
//   begin_mail       may mail come in now? answer_mail(true) and send step.reply, or answer_mail(false) and send
//   another (451, 452) look_up          look the path of the Rcpt up; answer_recipient(true) and send step.reply, or
//   answer_recipient(false) and another.
//                    Several RCPTs may be looked up together: answers belong to the oldest unanswered RCPT.
//   receive_message  send step.reply (354), read DATA to its end, send one reply per envelope().recipients,
//   message_done().
//                    Or send 452/451 in place of 354 and do nothing: the transaction stays.
//   receive_chunk    read step.octets octets as message; then send step.reply, or, if step.last, one reply per
//   recipient and
//                    message_done(). To refuse it: refuse_chunks(reply), and do what a refused chunk asks for: see
//                    below.
//   skip_chunk       send step.reply step.copies times, then read step.octets octets and throw them away. Replies may
//   go out first:
//                    a chunk of any announced size, even a lie, then never keeps the client waiting. Message data
//                    received so far is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "lmtpd/protocol/command.h"
#include "lmtpd/protocol/envelope.h"
#include "lmtpd/protocol/reply.h"

namespace lmtpd::protocol {

class DialogueOptions {
 public:
  std::string hostname = "localhost";
  std::uint64_t message_size = 50u << 20;  // octets; the SIZE announced
  std::size_t max_recipients = 1000;       // accepted per transaction; more: 452 4.5.3
  int max_bad_commands = 20;               // per connection; the next one: 421 4.7.0 and close
  bool xforward = false;                   // this peer may use XFORWARD
};

enum class Action : std::uint8_t { reply, close, begin_mail, look_up, receive_message, receive_chunk, skip_chunk };

class Step {
 public:
  Step(Action action, Reply reply) : action(action), reply(std::move(reply)) {}

  Action action;
  Reply reply;
  std::size_t copies = 1;    // of the reply: a refused BDAT LAST has one per accepted recipient (RFC 2033 §4.2)
  std::uint64_t octets = 0;  // of the chunk that follows the command
  bool last = false;         // BDAT LAST
};

class Dialogue {
 public:
  explicit Dialogue(DialogueOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Reply greeting() const;
  // REQUIRES: every RCPT is answered before a command other than RCPT comes; begin_mail before any.
  [[nodiscard]] Step on(const Command& command);

  void answer_mail(bool accepted);
  void answer_recipient(bool accepted);
  // The chunk of the last receive_chunk cannot be taken (memory, deadline): returns the skip_chunk step to carry out
  // instead. It and all chunks up to LAST or RSET get `reply`.
  [[nodiscard]] Step refuse_chunks(const Reply& reply);
  // The replies of the transaction are on their way: a new MAIL may come.
  void message_done() { reset(); }

  [[nodiscard]] bool in_transaction() const { return phase_ != Phase::idle; }  // MAIL accepted, message not done
  [[nodiscard]] const Envelope& envelope() const { return envelope_; }
  [[nodiscard]] const std::string& client() const { return client_; }  // LHLO's name; empty before
  [[nodiscard]] const DialogueOptions& options() const { return options_; }

 private:
  enum class Phase : std::uint8_t { idle, mail_asked, mail, chunks };

  Step on_command(const Lhlo& command);
  Step on_command(const Mail& command);
  Step on_command(const Rcpt& command);
  Step on_command(const Data& command);
  Step on_command(const Bdat& command);
  Step on_command(const Rset& command);
  Step on_command(const Noop& command);
  Step on_command(const Vrfy& command);
  Step on_command(const Help& command);
  Step on_command(const Quit& command);
  Step on_command(const Xforward& command);
  Step on_command(const Helo& command);
  Step on_command(const Unknown& command);
  Step on_command(const SyntaxError& command);

  Step bad_command(const Reply& reply);
  Step skip(const Reply& reply, std::uint64_t octets, bool last);
  void reset();

  const DialogueOptions options_;
  std::string client_;
  Phase phase_ = Phase::idle;
  Envelope envelope_;
  std::deque<Recipient> asked_;      // RCPTs without an answer yet
  std::uint64_t chunk_octets_ = 0;   // BDAT octets of this message so far
  std::uint64_t current_chunk_ = 0;  // of the last receive_chunk
  bool current_last_ = false;
  std::optional<Reply> chunk_refusal_;  // set: the rest of this message is refused with it
  int bad_commands_ = 0;
};

}  // namespace lmtpd::protocol
