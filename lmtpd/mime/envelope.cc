#include "lmtpd/mime/envelope.h"

#include <limits>

#include "lmtpd/mime/header_reader.h"
#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

constexpr std::size_t column_octets = 65535;

// What may be written; the second set makes every envelope fit: 6 lists and 4 texts, each octet possibly escaped.
struct Limits {
  std::size_t text = std::numeric_limits<std::size_t>::max();
  std::size_t list = std::numeric_limits<std::size_t>::max();
};
constexpr Limits small{2000, 7000};

class Writer {
 public:
  explicit Writer(const Limits& limits) : limits_(limits) {}

  void text(const std::optional<std::string>& text) {
    if (text) {
      quoted(*text);
    } else {
      out_ += "NIL";
    }
    out_ += ' ';
  }

  void list(const AddressList& list) {
    const std::size_t before = out_.size();
    out_ += '(';
    end_ = limits_.list > out_.max_size() - before ? out_.max_size() : before + limits_.list;
    addresses(list);
    if (out_.size() == before + 1) {
      out_.replace(before, 1, "NIL ");
    } else {
      out_ += ") ";
    }
  }

  // DBMail leaves out ids with "=" or "@(none)"; so do we, for equal rows.
  void message_id(const std::string& id) {
    if (id.empty() || id.find('=') != std::string::npos || id.find("@(none)") != std::string::npos) {
      out_ += "NIL";
    } else {
      quoted("<" + id + ">");
    }
  }

  std::string out_ = "(";

 private:
  // An address that would go beyond the limit ends the list.
  void addresses(const AddressList& list) {
    for (const MailAddress& entry : list) {
      const std::size_t before = out_.size();
      if (entry.is_group) {
        group(entry);
      } else {
        mailbox(entry);
      }
      if (out_.size() > end_) {
        out_.resize(before);
        return;
      }
    }
  }

  void group(const MailAddress& entry) {
    out_ += "(NIL NIL ";
    quoted(entry.name);
    out_ += " NIL)";
    addresses(entry.members);
    out_ += "(NIL NIL NIL NIL)";
  }

  void mailbox(const MailAddress& entry) {
    out_ += '(';
    quoted_or_nil(entry.name);
    out_ += " NIL ";
    const std::size_t at = entry.address.rfind('@');
    quoted(unquoted(entry.address.substr(0, at)));
    out_ += ' ';
    quoted_or_nil(at == std::string::npos ? std::string() : entry.address.substr(at + 1));
    out_ += ')';
  }

  // RFC 3501 §7.4.2: the local part without RFC 5322 quoting.
  static std::string unquoted(std::string_view local) {
    if (local.size() < 2 || !local.starts_with('"') || !local.ends_with('"')) return std::string(local);
    std::string out;
    for (std::size_t i = 1; i + 1 < local.size(); ++i) {
      if (local[i] == '\\' && i + 2 < local.size()) ++i;
      out += local[i];
    }
    return out;
  }

  void quoted_or_nil(const std::string& text) {
    if (text.empty()) {
      out_ += "NIL";
    } else {
      quoted(text);
    }
  }

  void quoted(std::string_view text) {
    out_ += '"';
    for (const char c : cut_octets(text, limits_.text)) {
      if (c == '\r' || c == '\n') continue;
      if (c == '"' || c == '\\') out_ += '\\';
      out_ += c;
    }
    out_ += '"';
  }

  Limits limits_;
  std::size_t end_ = 0;
};

std::string render_within(const Envelope& envelope, const Limits& limits) {
  Writer writer(limits);
  writer.text(envelope.date);
  writer.text(envelope.subject);
  writer.list(envelope.from);
  writer.list(envelope.sender.empty() ? envelope.from : envelope.sender);
  writer.list(envelope.reply_to.empty() ? envelope.from : envelope.reply_to);
  writer.list(envelope.to);
  writer.list(envelope.cc);
  writer.list(envelope.bcc);
  writer.text(envelope.in_reply_to);
  writer.message_id(envelope.message_id);
  writer.out_ += ')';
  return std::move(writer.out_);
}

}  // namespace

std::string render(const Envelope& envelope) {
  std::string text = render_within(envelope, Limits());
  return text.size() <= column_octets ? text : render_within(envelope, small);
}

}  // namespace lmtpd::mime
