#include "lmtpd/mime/header_cache.h"

#include <gmime/gmime.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "lmtpd/mime/address_list.h"
#include "lmtpd/mime/base_subject.h"
#include "lmtpd/mime/content_type.h"
#include "lmtpd/mime/date.h"
#include "lmtpd/mime/digest.h"
#include "lmtpd/mime/envelope.h"
#include "lmtpd/mime/header_reader.h"
#include "lmtpd/mime/header_text.h"
#include "lmtpd/mime/references.h"

namespace lmtpd::mime {
namespace {

constexpr std::size_t sortfield_characters = 254;
constexpr std::size_t name_octets = 100;  // the narrowest headername column

bool is_address_header(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"from", "to", "reply-to", "cc", "bcc", "return-path"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A value in the received form: folds with CRLF.
std::string received_form(std::string_view value) {
  std::string out;
  out.reserve(value.size() + 8);
  for (const char c : value) {
    if (c == '\n' && !out.ends_with('\r')) out += '\r';
    out += c;
  }
  return out;
}

// Address text as the envelope wants it parsed: one line, single blanks, ";" between mailboxes as ",".
std::string one_line(std::string_view raw) {
  std::string out;
  bool quoted = false;
  bool group = false;  // after a ":" a ";" ends a group
  for (const char c : trim(raw)) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (c == '"' && !out.ends_with('\\')) quoted = !quoted;
    if (c == ':' && !quoted) group = true;
    if (blank && out.ends_with(' ')) continue;
    out += blank ? ' ' : c == ';' && !quoted && !group ? ',' : c == '\0' ? '?' : c;
  }
  while (out.ends_with(';') || out.ends_with(',')) out.pop_back();
  return out;
}

class HeaderCache {
 public:
  HeaderCache(const Options& options, storage::Message& message)
      : options_(options), message_(message), digest_(options.hash) {}

  void add(const Field& field) {
    const std::string name = lower_case(field.name);
    if (name.starts_with("content-")) return content_field(name, field.value);
    if (name == "received") ++message_.facts.received_headers;
    const bool first = seen_.insert(name).second;
    const bool cached = is_candidate(name);
    const bool envelope = first && is_envelope_header(name);
    if (!cached && !envelope) return;
    const std::string raw = received_form(cut_octets(field.value, options_.max_value_octets));
    decoded_ += raw.size();
    if (decoded_ > options_.max_header_octets) return;
    if (is_address_header(name)) return address_field(name, raw, envelope);
    if (envelope) envelope_field(name, raw);
    if (cached) text_field(name, raw);
  }

  void finish() {
    if (!seen_.contains("date")) add_missing_date();
    add_row("content-type", content_type_, {}, {});
    if (disposition_) add_row("content-disposition", *disposition_, {}, {});
    if (references_) {
      message_.references = parse_references(*references_ + " " + in_reply_to_, options_.max_references);
    }
    envelope_.message_id = message_.facts.message_id;
    message_.envelope = render(envelope_);
  }

 private:
  static bool is_candidate(const std::string& name) {
    return name.size() <= name_octets && name.find_first_of(" \t") == std::string::npos;
  }

  static bool is_envelope_header(std::string_view name) {
    constexpr std::array<std::string_view, 11> names = {
        "date", "subject", "from", "sender", "reply-to", "to", "cc", "bcc", "in-reply-to", "message-id", "references"};
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // The body part's own headers: two of them have a row made from what they mean.
  void content_field(const std::string& name, std::string_view value) {
    if (!seen_.insert(name).second) return;
    if (name == "content-type") {
      const ContentType type = parse_content_type(value);
      content_type_ =
          type.type.empty() || type.subtype.empty() ? "application/octet-stream" : type.type + "/" + type.subtype;
      replace_invalid(content_type_);
    } else if (name == "content-disposition") {
      disposition_ = encoded_disposition(std::string(cut_octets(value, options_.max_value_octets)));
    }
  }

  static std::string encoded_disposition(const std::string& value) {
    const std::unique_ptr<GMimeContentDisposition, decltype(&g_object_unref)> parsed(
        g_mime_content_disposition_parse(nullptr, value.c_str()), &g_object_unref);
    char* const encoded = parsed ? g_mime_content_disposition_encode(parsed.get(), nullptr) : nullptr;
    std::string text(encoded == nullptr ? "" : encoded);
    g_free(encoded);
    replace_invalid(text);
    return std::string(trim(text));
  }

  void address_field(const std::string& name, const std::string& raw, bool envelope) {
    const std::string decoded = decode_for_cache(raw, Decoding::phrase);
    const AddressList list = decoded.empty() ? AddressList() : parse_addresses(decoded);
    if (!decoded.empty() && is_candidate(name)) add_row(name, render_addresses(list), address_sortfield(list), {});
    if (!envelope) return;
    const std::string line = one_line(raw);
    envelope_list(name) = line == decoded ? list : parse_addresses(line);
  }

  AddressList& envelope_list(std::string_view name) {
    return name == "from"  ? envelope_.from
           : name == "to"  ? envelope_.to
           : name == "cc"  ? envelope_.cc
           : name == "bcc" ? envelope_.bcc
                           : envelope_.reply_to;
  }

  void envelope_field(const std::string& name, const std::string& raw) {
    if (name == "date") envelope_.date = decode_for_envelope(raw);
    if (name == "subject") envelope_.subject = decode_for_envelope(raw);
    if (name == "sender") envelope_.sender = parse_addresses(one_line(raw));
    if (name == "message-id") message_.facts.message_id = parse_message_id(raw);
    if (name == "references") references_ = raw;
    if (name != "in-reply-to") return;
    envelope_.in_reply_to = decode_for_envelope(raw);
    in_reply_to_ = raw;
  }

  void text_field(const std::string& name, const std::string& raw) {
    std::string value = decode_for_cache(raw, Decoding::text);
    if (value.empty()) return;
    if (name == "date") {
      if (auto date = parse_date(value)) return add_row(name, std::move(value), date->wall_clock, date->day());
    }
    std::string sortfield = name == "subject" ? base_subject(value) : std::string();
    add_row(name, std::move(value), std::move(sortfield), {});
  }

  // The readers sort by date: a message without a Date header gets the time of its arrival.
  void add_missing_date() {
    const std::string& now = message_.internal_date;
    add_row("date", rfc5322_date(now), now, now.substr(0, 10));
  }

  void add_row(const std::string& name, std::string value, std::string sortfield, std::optional<std::string> date) {
    value.resize(cut_octets(value, options_.max_value_octets).size());
    std::string hash = digest_.hex_of(value);
    if (!rows_.insert(name + ":" + hash).second) return;
    std::string_view sort = sortfield.empty() ? std::string_view(value) : std::string_view(sortfield);
    std::string sorted(cut_characters(sort, sortfield_characters));
    message_.headers.push_back({name, std::move(value), std::move(sorted), std::move(date), std::move(hash)});
  }

  const Options& options_;
  storage::Message& message_;
  Digest digest_;
  std::size_t decoded_ = 0;                  // octets
  std::unordered_set<std::string> seen_;     // names
  std::unordered_set<std::string> rows_;     // name and hash of the value
  std::string content_type_ = "text/plain";  // RFC 2045 §5.2
  std::optional<std::string> disposition_;
  std::optional<std::string> references_;
  std::string in_reply_to_;
  Envelope envelope_;
};

}  // namespace

void read_headers(std::string_view block, std::string_view sender, const Options& options, storage::Message& message) {
  HeaderCache cache(options, message);
  cache.add({"Return-Path", sender});
  FieldReader fields(block);
  std::size_t count = 0;
  for (Field field; count < options.max_header_fields && fields.next(field); ++count) cache.add(field);
  cache.finish();
}

}  // namespace lmtpd::mime
