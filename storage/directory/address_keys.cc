#include "storage/directory/address_keys.h"

#include <idn2.h>
#include <locale.h>
#include <wctype.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "storage/directory/utf8.h"

namespace storage::directory {
namespace {

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// glibc's own tables, not the process's locale; C.UTF-8 is part of libc-bin.
locale_t unicode_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

struct FreeIdn {
  void operator()(char* text) const { idn2_free(text); }
};
using IdnText = std::unique_ptr<char, FreeIdn>;

// nullopt: no valid internationalised domain.
std::optional<std::string> a_label(const std::string& domain) {
  char* raw = nullptr;
  if (idn2_to_ascii_8z(domain.c_str(), &raw, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) != IDN2_OK) return std::nullopt;
  return std::string(IdnText(raw).get());
}

std::optional<std::string> u_label(const std::string& domain) {
  char* raw = nullptr;
  if (idn2_to_unicode_8z8z(domain.c_str(), &raw, 0) != IDN2_OK) return std::nullopt;
  return std::string(IdnText(raw).get());
}

struct Domain {
  std::string canonical;
  std::vector<std::string> forms;  // distinct, canonical first
};

void add_form(std::string form, std::vector<std::string>& forms) {
  if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(std::move(form));
}

Domain domain_forms(std::string_view text) {
  const std::string plain = ascii_lower(text);
  Domain domain{plain, {plain}};
  const bool ascii = is_ascii(plain);
  if (ascii && plain.find("xn--") == std::string::npos) return domain;
  if (const auto a = a_label(plain)) {
    domain.canonical = ascii_lower(*a);
    domain.forms = {domain.canonical};
    if (const auto u = u_label(domain.canonical)) add_form(*u, domain.forms);
    add_form(plain, domain.forms);
  } else if (!ascii) {
    domain.canonical = folded(plain);
    add_form(domain.canonical, domain.forms);
  }
  return domain;
}

struct Name {
  std::string local;
  std::string at;  // "", "@" or "@."
  std::string domain;
};

Name split(std::string_view name) {
  const auto at = name.rfind('@');
  if (at == std::string_view::npos) return {std::string(name), "", ""};
  std::string_view domain = name.substr(at + 1);
  if (!domain.starts_with('.')) return {std::string(name.substr(0, at)), "@", std::string(domain)};
  return {std::string(name.substr(0, at)), "@.", std::string(domain.substr(1))};
}

Step make_step(StepKind kind, const std::string& name, bool detail_applies) {
  return {kind, canonical(name), spellings(name), detail_applies};
}

// "@deep.x.org", "@.x.org", "@.org": only the whole domain stands without a dot.
void add_domain_catch_alls(const std::string& domain, std::vector<Step>& steps) {
  steps.push_back(make_step(StepKind::domain_catch_all, "@" + domain, true));
  for (auto dot = domain.find('.'); dot != std::string::npos && dot + 1 < domain.size();
       dot = domain.find('.', dot + 1)) {
    steps.push_back(make_step(StepKind::domain_catch_all, "@" + domain.substr(dot), true));
  }
}

}  // namespace

std::string folded(std::string_view text) {
  const locale_t locale = unicode_locale();
  if (is_ascii(text) || locale == nullptr) return ascii_lower(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto value = next_character(text, i);
    if (!value) return ascii_lower(text);
    append_character(static_cast<char32_t>(towlower_l(static_cast<wint_t>(*value), locale)), out);
  }
  return out;
}

std::string canonical(std::string_view name) {
  const Name parts = split(name);
  return folded(parts.local) + parts.at + (parts.domain.empty() ? "" : domain_forms(parts.domain).canonical);
}

std::vector<std::string> spellings(std::string_view name) {
  const Name parts = split(name);
  std::vector<std::string> locals{folded(parts.local)};
  add_form(ascii_lower(parts.local), locals);
  std::vector<std::string> out;
  const std::vector<std::string> domains =
      parts.domain.empty() ? std::vector<std::string>{""} : domain_forms(parts.domain).forms;
  for (const std::string& local : locals) {
    for (const std::string& domain : domains) add_form(local + parts.at + domain, out);
  }
  return out;
}

AddressKeys address_keys(const Address& address, std::string_view delimiters) {
  AddressKeys keys;
  const std::string at_domain = address.domain.empty() ? std::string() : "@" + address.domain;
  keys.steps.push_back(make_step(StepKind::exact_alias, address.text(), false));
  keys.steps.push_back(make_step(StepKind::exact_userid, address.text(), false));

  // The first delimiter that occurs splits; in front of it there must be something.
  const auto delimiter = address.local.find_first_of(delimiters);
  if (delimiter != std::string::npos && delimiter > 0) {
    const std::string base = address.local.substr(0, delimiter) + at_domain;
    keys.detail = address.local.substr(delimiter + 1);
    keys.steps.push_back(make_step(StepKind::stripped_alias, base, true));
    keys.steps.push_back(make_step(StepKind::stripped_userid, base, true));
  }
  if (!address.domain.empty()) {
    add_domain_catch_alls(address.domain, keys.steps);
    keys.steps.push_back(make_step(StepKind::local_catch_all, address.local + "@", false));
  }
  return keys;
}

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::exact_alias:
      return "alias";
    case StepKind::exact_userid:
      return "user";
    case StepKind::stripped_alias:
      return "alias without detail";
    case StepKind::stripped_userid:
      return "user without detail";
    case StepKind::domain_catch_all:
      return "catch-all of the domain";
    case StepKind::local_catch_all:
      return "catch-all of the local part";
  }
  return "";
}

}  // namespace storage::directory
