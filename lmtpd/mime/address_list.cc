#include "lmtpd/mime/address_list.h"

#include <gmime/gmime.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

constexpr std::size_t sortfield_octets = 253;

// GMime's time grows with the square of a list without "@" (64 KiB of "a,": 9 s); long lists are handed over in pieces.
constexpr std::size_t piece_octets = 512;
constexpr std::size_t longest_piece = 1024;

struct Unref {
  void operator()(InternetAddressList* list) const { g_object_unref(list); }
};

std::string valid(const char* text) {
  std::string result(text == nullptr ? "" : text);
  replace_invalid(result);
  return result;
}

// Groups do not nest (RFC 5322 §3.4): what GMime might find inside a member group is left out.
AddressList converted(InternetAddressList* list, bool inside_group) {
  AddressList result;
  const int count = list == nullptr ? 0 : internet_address_list_length(list);
  result.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    InternetAddress* address = internet_address_list_get_address(list, i);
    MailAddress& entry = result.emplace_back();
    entry.name = valid(internet_address_get_name(address));
    if (INTERNET_ADDRESS_IS_GROUP(address)) {
      entry.is_group = true;
      if (!inside_group)
        entry.members = converted(internet_address_group_get_members(INTERNET_ADDRESS_GROUP(address)), true);
    } else {
      entry.address = valid(internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(address)));
    }
  }
  return result;
}

AddressList parse_piece(const std::string& text) {
  const std::unique_ptr<InternetAddressList, Unref> list(internet_address_list_parse(nullptr, text.c_str()));
  return converted(list.get(), false);
}

// Follows quotes, comments and groups, to tell whether a comma ends an address.
class CommaFinder {
 public:
  // True if c is a comma after a complete address.
  bool ends_address(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"' && comment_ == 0) {
      quoted_ = !quoted_;
    } else if (!quoted_) {
      return unquoted(c);
    }
    return false;
  }

 private:
  bool unquoted(char c) {
    if (c == '(') ++comment_;
    if (c == ')' && comment_ > 0) --comment_;
    if (comment_ > 0) return false;
    if (c == ':' || c == ';') group_ = c == ':';
    if (c == '@') at_ = true;
    if (c != ',' || group_ || !at_) return false;
    at_ = false;
    return true;
  }

  bool escaped_ = false;
  bool quoted_ = false;
  bool group_ = false;
  bool at_ = false;
  int comment_ = 0;
};

// Where the next piece of a long list ends: after an address if possible, else after some comma.
std::size_t piece_end(std::string_view text) {
  if (text.size() <= piece_octets) return text.size();
  CommaFinder finder;
  std::size_t last_comma = 0;
  const std::size_t limit = std::min(longest_piece, text.size());
  for (std::size_t at = 0; at < limit; ++at) {
    const bool good = finder.ends_address(text[at]);
    if (good && at >= piece_octets) return at + 1;
    if (text[at] == ',') last_comma = at + 1;
  }
  if (limit == text.size()) return limit;
  return last_comma > 0 ? last_comma : std::max<std::size_t>(cut_octets(text, limit).size(), 1);
}

void append_name(std::string& out, const std::string& name) {
  const bool quoted = name.find(',') != std::string::npos;
  if (quoted) out += '"';
  out += name;
  if (quoted) out += '"';
}

void append_list(std::string& out, const AddressList& list) {
  bool first = true;
  for (const MailAddress& entry : list) {
    if (!first) out += entry.is_group ? " " : ", ";
    first = false;
    append_name(out, entry.name);
    if (entry.is_group) {
      out += ':';
      if (!entry.members.empty()) out += ' ';
      append_list(out, entry.members);
      out += ';';
    } else {
      out.append(" <").append(entry.address).append(">");
    }
  }
}

}  // namespace

AddressList parse_addresses(const std::string& text) {
  if (text.size() <= piece_octets) return parse_piece(text);
  AddressList all;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = piece_end(rest);
    AddressList piece = parse_piece(std::string(rest.substr(0, end)));
    std::move(piece.begin(), piece.end(), std::back_inserter(all));
    rest.remove_prefix(end);
  }
  return all;
}

std::string render_addresses(const AddressList& list) {
  std::string out;
  append_list(out, list);
  return out;
}

std::string address_sortfield(const AddressList& list) {
  for (const MailAddress& entry : list) {
    const std::string key = entry.is_group ? entry.name : entry.address.substr(0, entry.address.find('@'));
    if (!key.empty()) return std::string(cut_octets(key, sortfield_octets));
  }
  return {};
}

}  // namespace lmtpd::mime
