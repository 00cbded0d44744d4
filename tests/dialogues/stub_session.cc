#include "tests/dialogues/stub_session.h"

#include <sys/socket.h>

#include <algorithm>

#include "lmtpd/protocol/dot_decoder.h"

namespace test {

using namespace lmtpd::protocol;

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

bool has_bare_line_end(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) return true;
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) return true;
  }
  return false;
}

std::size_t count_received(const std::string& text) {
  std::size_t count = text.rfind("Received:", 0) == 0 ? 1 : 0;
  for (std::size_t at = 0; (at = text.find("\nReceived:", at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

Reply StubWorld::resolve(const Path& path, std::set<std::string>& users) const {
  const std::string local = lower(path.local.substr(0, path.local.find('+')));
  const std::string domain = lower(path.domain);
  if (domain != "example.test" && !(domain.empty() && local == "alice")) return Reply(550, "5.1.1", "Unknown");
  if (local == "off") return Reply(550, "5.2.1", "Inactive");
  if (local == "full") return over_quota_permanent ? Reply(552, "5.2.2", "Full") : Reply(452, "4.2.2", "Full");
  if (local == "fwd") return Reply(451, "4.3.5", "External");
  if (local == "pipe") return Reply(550, "5.3.0", "Command");
  if (local == "list") {
    users = {"alice@example.test", "bob@example.test"};
  } else if (local == "alice" || local == "bob" || local == "carol") {
    users = {local + "@example.test"};
  }
  return users.empty() ? Reply(550, "5.1.1", "Unknown") : Reply(250, "2.1.5", "Ok");
}

Reply StubWorld::judge(std::string& content) const {
  if (content.size() > dialogue.message_size) return Reply(552, "5.3.4", "Too large");
  if (count_received(content) > received_headers) return Reply(554, "5.4.6", "Loop");
  if (reject_bare_line_ends && has_bare_line_end(content)) return Reply(550, "5.5.2", "Bare line end");
  if (nul_bytes == "reject" && content.find('\0') != std::string::npos) return Reply(550, "5.6.0", "NUL");
  if (nul_bytes == "replace") std::replace(content.begin(), content.end(), '\0', '\x80');
  return Reply(250, "2.0.0", "Ok");
}

bool StubWorld::store(const std::string& user, const std::string& sender, const std::string& content) {
  const bool is_new = known_.insert(user + '\0' + sender + '\0' + content).second || !recognise_redelivery;
  if (is_new) inboxes[user].push_back(content);
  return is_new;
}

void StubSession::run() {
  send(dialogue_.greeting());
  while (open_) {
    const LineSplitter::Taken taken = splitter_.take(buffer_);
    const std::string line(taken.line);
    buffer_.erase(0, taken.consumed);
    if (taken.kind == LineSplitter::Kind::need_more) {
      if (!fill()) return;
    } else {
      obey(taken.kind == LineSplitter::Kind::line ? parse_command(line) : line_too_long());
    }
  }
}

bool StubSession::fill() {
  char octets[4096];
  const ssize_t got = ::recv(socket_, octets, sizeof octets, 0);
  if (got > 0) buffer_.append(octets, static_cast<std::size_t>(got));
  if (got <= 0) open_ = false;
  return open_;
}

void StubSession::send(const Reply& reply, std::size_t copies) {
  std::string out;
  for (std::size_t i = 0; i < copies; ++i) reply.append_to(out);
  for (std::string_view rest = out; !rest.empty();) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0) return;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void StubSession::obey(const Command& command) {
  const Step step = dialogue_.on(command);
  switch (step.action) {
    case Action::close:
      open_ = false;
      [[fallthrough]];
    case Action::reply:
      send(step.reply, step.copies);
      break;
    case Action::begin_mail:
      dialogue_.answer_mail(true);
      send(step.reply);
      break;
    case Action::look_up:
      look_up(std::get<Rcpt>(command), step.reply);
      break;
    case Action::receive_message:
      send(step.reply);
      receive_message();
      break;
    case Action::receive_chunk:
      if (!receive_octets(step.octets, &content_)) return;
      if (step.last) {
        deliver();
      } else {
        send(step.reply);
      }
      break;
    case Action::skip_chunk:
      send(step.reply, step.copies);
      receive_octets(step.octets, nullptr);
      break;
  }
  if (dialogue_.in_transaction()) return;
  content_.clear();
  recipients_.clear();
}

void StubSession::look_up(const Rcpt& rcpt, const Reply& accepted) {
  std::set<std::string> users;
  const Reply answer = world_.resolve(rcpt.recipient, users);
  dialogue_.answer_recipient(answer.positive());
  if (answer.positive()) recipients_.push_back(users);
  send(answer.positive() ? accepted : answer);
}

void StubSession::receive_message() {
  DotDecoder decoder(dialogue_.options().message_size);
  std::vector<std::string_view> pieces;
  for (;;) {
    pieces.clear();
    const std::size_t consumed = decoder.decode(buffer_, pieces);
    for (const std::string_view piece : pieces) content_ += piece;
    buffer_.erase(0, consumed);
    if (decoder.finished()) break;
    if (!fill()) return;
  }
  if (decoder.too_large()) content_.assign(dialogue_.options().message_size + 1, 'x');
  if (decoder.doubtful_end()) open_ = false;
  deliver();
}

bool StubSession::receive_octets(std::uint64_t octets, std::string* content) {
  while (octets > 0) {
    if (buffer_.empty() && !fill()) return false;
    const auto mine = static_cast<std::size_t>(std::min<std::uint64_t>(octets, buffer_.size()));
    if (content != nullptr) content->append(buffer_, 0, mine);
    buffer_.erase(0, mine);
    octets -= mine;
  }
  return true;
}

void StubSession::deliver() {
  const Reply verdict = world_.judge(content_);
  std::map<std::string, bool> stored;  // by user: one copy, whatever the number of recipients
  for (const std::set<std::string>& users : recipients_) {
    bool is_new = false;
    for (const std::string& user : users) {
      if (!verdict.positive()) continue;
      if (stored.count(user) == 0) stored[user] = world_.store(user, dialogue_.envelope().sender, content_);
      is_new = is_new || stored[user];
    }
    const std::string id(32, '0');
    send(verdict.positive() ? Reply(250, "2.0.0", id + (is_new ? " Saved" : " Already saved")) : verdict);
  }
  dialogue_.message_done();
}

}  // namespace test
