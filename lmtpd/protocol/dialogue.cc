#include "lmtpd/protocol/dialogue.h"

#include <algorithm>
#include <vector>

namespace lmtpd::protocol {
namespace {

Step reply(int code, std::string_view enhanced, std::string_view text) {
  return Step(Action::reply, Reply(code, enhanced, text));
}

Step out_of_order(std::string_view text) {
  return reply(503, "5.5.1", text);
}

Reply too_large() {
  return Reply(552, "5.3.4", "Message too large");
}

}  // namespace

Reply Dialogue::greeting() const {
  return Reply(220, "", options_.hostname + " LMTP lmtpd ready");
}

Step Dialogue::on(const Command& command) {
  return std::visit([this](const auto& known) { return on_command(known); }, command);
}

Step Dialogue::on_command(const Lhlo& command) {
  reset();  // RFC 5321 §4.1.4: as if RSET had come
  client_ = command.name;
  std::vector<std::string> lines = {
      options_.hostname, "PIPELINING",          "8BITMIME",
      "SMTPUTF8",        "ENHANCEDSTATUSCODES", "SIZE " + std::to_string(options_.message_size),
      "CHUNKING",        "BINARYMIME"};
  if (options_.xforward) lines.emplace_back(xforward_capability);
  return Step(Action::reply, Reply(250, "", lines));
}

Step Dialogue::on_command(const Mail& command) {
  if (client_.empty()) return out_of_order("LHLO first");
  if (in_transaction()) return out_of_order("Transaction already open");
  // RFC 1870 §6.1 (1)
  if (command.size.value_or(0) > options_.message_size) return Step(Action::reply, too_large());
  phase_ = Phase::mail_asked;
  envelope_.sender = command.sender.text;
  envelope_.size = command.size;
  envelope_.body = command.body;
  envelope_.smtputf8 = command.smtputf8;
  envelope_.ret = command.ret;
  envelope_.envid = command.envid;
  return Step(Action::begin_mail, Reply(250, "2.1.0", "Sender ok"));
}

void Dialogue::answer_mail(bool accepted) {
  if (phase_ != Phase::mail_asked) return;
  if (accepted) {
    phase_ = Phase::mail;
  } else {
    reset();
  }
}

Step Dialogue::on_command(const Rcpt& command) {
  if (phase_ == Phase::idle) return out_of_order("MAIL first");
  if (phase_ == Phase::chunks) return out_of_order("No RCPT after BDAT");
  if (envelope_.recipients.size() + asked_.size() >= options_.max_recipients) {
    return reply(452, "4.5.3", "Too many recipients");  // RFC 5321 §4.5.3.1.10
  }
  asked_.emplace_back(command.recipient, command.orcpt, command.notify);
  return Step(Action::look_up, Reply(250, "2.1.5", "Recipient ok"));
}

void Dialogue::answer_recipient(bool accepted) {
  if (asked_.empty()) return;
  if (accepted) envelope_.recipients.push_back(std::move(asked_.front()));
  asked_.pop_front();
}

Step Dialogue::on_command(const Data&) {
  if (phase_ == Phase::idle) return out_of_order("MAIL first");
  if (phase_ == Phase::chunks) return out_of_order("No DATA after BDAT");                 // RFC 3030 §2
  if (envelope_.recipients.empty()) return out_of_order("No valid recipients");           // RFC 2033 §4.2
  if (envelope_.body == Body::binary_mime) return out_of_order("BINARYMIME needs BDAT");  // RFC 3030 §3
  return Step(Action::receive_message, Reply(354, "", "End data with <CR><LF>.<CR><LF>"));
}

Step Dialogue::on_command(const Bdat& command) {
  if (phase_ == Phase::idle) return skip(Reply(503, "5.5.1", "MAIL first"), command.octets, command.last);
  phase_ = Phase::chunks;
  current_chunk_ = command.octets;
  current_last_ = command.last;
  if (envelope_.recipients.empty()) chunk_refusal_ = Reply(503, "5.5.1", "No valid recipients");
  if (!chunk_refusal_ && command.octets > options_.message_size - chunk_octets_) chunk_refusal_ = too_large();
  if (chunk_refusal_) return refuse_chunks(Reply(*chunk_refusal_));
  chunk_octets_ += command.octets;
  Step step(Action::receive_chunk, Reply(250, "2.0.0", std::to_string(command.octets) + " octets received"));
  step.octets = command.octets;
  step.last = command.last;
  return step;
}

Step Dialogue::refuse_chunks(const Reply& refusal) {
  chunk_refusal_ = refusal;
  // RFC 2033 §4.2 with RFC 3030: one reply per accepted recipient after LAST, one for any other chunk.
  const std::size_t copies = current_last_ ? std::max<std::size_t>(envelope_.recipients.size(), 1) : 1;
  Step step = skip(*chunk_refusal_, current_chunk_, current_last_);
  step.copies = copies;
  return step;
}

Step Dialogue::skip(const Reply& refusal, std::uint64_t octets, bool last) {
  Step step(Action::skip_chunk, refusal);
  step.octets = octets;
  step.last = last;
  if (last) reset();
  return step;
}

Step Dialogue::on_command(const Rset&) {
  reset();
  return reply(250, "2.0.0", "Ok");
}

Step Dialogue::on_command(const Noop&) {
  return reply(250, "2.0.0", "Ok");
}

Step Dialogue::on_command(const Vrfy&) {
  return reply(252, "2.0.0", "Send some mail, I will try");
}

Step Dialogue::on_command(const Help&) {
  return reply(214, "2.0.0", "LHLO MAIL RCPT DATA BDAT RSET NOOP VRFY HELP QUIT");
}

Step Dialogue::on_command(const Quit&) {
  return Step(Action::close, Reply(221, "2.0.0", "Bye"));
}

Step Dialogue::on_command(const Xforward& command) {
  if (!options_.xforward) return bad_command(Reply(550, "5.7.0", "XFORWARD not allowed"));
  if (client_.empty()) return out_of_order("LHLO first");
  if (in_transaction()) return out_of_order("Transaction already open");
  if (!apply_xforward(command.attributes, envelope_.origin))
    return bad_command(Reply(501, "5.5.4", "Bad XFORWARD attribute"));
  return reply(250, "2.0.0", "Ok");
}

// RFC 2033 §4.1
Step Dialogue::on_command(const Helo&) {
  return bad_command(Reply(500, "5.5.1", "This is LMTP: use LHLO"));
}

Step Dialogue::on_command(const Unknown&) {
  return bad_command(Reply(500, "5.5.2", "Command not recognized"));
}

Step Dialogue::on_command(const SyntaxError& command) {
  if (command.close) return Step(Action::close, command.reply);
  return command.counts ? bad_command(command.reply) : Step(Action::reply, command.reply);
}

Step Dialogue::bad_command(const Reply& refusal) {
  if (bad_commands_ == options_.max_bad_commands) {
    return Step(Action::close, Reply(421, "4.7.0", "Too many bad commands"));
  }
  ++bad_commands_;
  return Step(Action::reply, refusal);
}

void Dialogue::reset() {
  phase_ = Phase::idle;
  envelope_ = Envelope();
  asked_.clear();
  chunk_octets_ = 0;
  current_chunk_ = 0;
  current_last_ = false;
  chunk_refusal_.reset();
}

}  // namespace lmtpd::protocol
