#include "lmtpd/mime/address_list.h"

#include <gmime/gmime.h>

#include <memory>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

constexpr std::size_t sortfield_octets = 253;

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
  const std::unique_ptr<InternetAddressList, Unref> list(internet_address_list_parse(nullptr, text.c_str()));
  return converted(list.get(), false);
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
