#include "lmtpd/observe/mail_log.h"

#include <spdlog/spdlog.h>

#include "lmtpd/observe/log_field.h"

namespace lmtpd::observe {
namespace {

using storage::Reason;

void text_if_known(LineBuilder& line, std::string_view key, std::string_view value) {
  if (!value.empty()) line.text(key, value);
}

void number_if_known(LineBuilder& line, std::string_view key, std::int64_t value) {
  if (value > 0) line.number(key, static_cast<std::uint64_t>(value));
}

bool worth_a_warning(Verb verb) {
  return verb == Verb::deferred || verb == Verb::in_doubt;
}

spdlog::level::level_enum level_of(Event event) {
  if (event == Event::session_failed || event == Event::store_lost) return spdlog::level::err;
  const bool worth_a_warning = event == Event::session_refused || event == Event::client_gone;
  return worth_a_warning ? spdlog::level::warn : spdlog::level::info;
}

}  // namespace

Verb verb_for(Reason reason) {
  if (reason == Reason::ok) return Verb::delivered;
  if (reason == Reason::already_stored) return Verb::already_stored;
  if (reason == Reason::in_doubt) return Verb::in_doubt;
  return storage::is_transient(reason) ? Verb::deferred : Verb::refused;
}

std::string_view to_string(Verb verb) {
  switch (verb) {
    case Verb::delivered:
      return "delivered";
    case Verb::already_stored:
      return "already_stored";
    case Verb::refused:
      return "refused";
    case Verb::deferred:
      return "deferred";
    case Verb::in_doubt:
      return "in_doubt";
  }
  return "unknown";
}

std::string_view to_string(Event event) {
  switch (event) {
    case Event::store_lost:
      return "store_lost";
    case Event::store_back:
      return "store_back";
    case Event::session_refused:
      return "session_refused";
    case Event::session_closed:
      return "session_closed";
    case Event::client_gone:
      return "client_gone";
    case Event::nul_replaced:
      return "nul_replaced";
    case Event::targets_skipped:
      return "targets_skipped";
    case Event::message_refused:
      return "message_refused";
    case Event::session_failed:
      return "session_failed";
  }
  return "unknown";
}

std::string format_line(const OutcomeLine& outcome, LogFormat format) {
  LineBuilder line(format, "verb", to_string(verb_for(outcome.reason)));
  text_if_known(line, "queue_id", outcome.queue_id);
  text_if_known(line, "session", outcome.session);
  text_if_known(line, "delivery", outcome.delivery);
  line.text("sender", outcome.sender);
  text_if_known(line, "recipient", outcome.recipient);
  text_if_known(line, "mailbox", outcome.mailbox);
  number_if_known(line, "mailbox_id", outcome.mailbox_id);
  number_if_known(line, "user", outcome.user);
  number_if_known(line, "uid", outcome.uid);
  if (outcome.size != 0) line.number("size", outcome.size);
  text_if_known(line, "message_id", outcome.message_id);
  line.text("result", storage::to_string(outcome.reason));
  text_if_known(line, "reply", outcome.reply);
  if (outcome.batch_size != 0) {
    line.seconds("wait", outcome.wait);
    line.seconds("commit", outcome.commit);
    line.number("batch", outcome.batch_size);
  }
  text_if_known(line, "detail", outcome.detail);
  return line.finish();
}

std::string format_line(const EventLine& event, LogFormat format) {
  LineBuilder line(format, "event", to_string(event.event));
  text_if_known(line, "queue_id", event.queue_id);
  text_if_known(line, "session", event.session);
  text_if_known(line, "peer", event.peer);
  text_if_known(line, "sender", event.sender);
  text_if_known(line, "recipient", event.recipient);
  text_if_known(line, "reply", event.reply);
  text_if_known(line, "detail", event.detail);
  return line.finish();
}

// The name tells log_setup's formatter that these lines are built and escaped already.
MailLog::MailLog(std::shared_ptr<spdlog::logger> logger, LogFormat format, Metrics& metrics)
    : logger_(logger->clone(std::string(mail_logger_name))), format_(format), metrics_(metrics) {}

void MailLog::outcome(const OutcomeLine& line) {
  metrics_.outcome(line.reason).add();
  metrics_.log_lines.add();
  const auto level = worth_a_warning(verb_for(line.reason)) ? spdlog::level::warn : spdlog::level::info;
  logger_->log(level, spdlog::string_view_t(format_line(line, format_)));
}

void MailLog::event(const EventLine& line) {
  metrics_.log_lines.add();
  logger_->log(level_of(line.event), spdlog::string_view_t(format_line(line, format_)));
}

}  // namespace lmtpd::observe
