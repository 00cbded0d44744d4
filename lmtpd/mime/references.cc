#include "lmtpd/mime/references.h"

#include <gmime/gmime.h>

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "lmtpd/mime/header_reader.h"
#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

constexpr std::size_t reference_octets = 255;  // the column

struct FreeReferences {
  void operator()(GMimeReferences* references) const { g_mime_references_free(references); }
};

// <dot-atom@dot-atom> and nothing else: the usual form, which needs no parser.
bool is_plain_id(std::string_view text) {
  if (text.size() < 2 || text.front() != '<' || text.back() != '>') return false;
  text = text.substr(1, text.size() - 2);
  const auto is_plain = [](char c) {
    constexpr std::string_view marks = "!#$%&'*+-/=?^_`{|}~.@";
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || marks.find(c) != marks.npos;
  };
  return std::count(text.begin(), text.end(), '@') == 1 && text.front() != '@' && text.back() != '@' &&
         std::all_of(text.begin(), text.end(), is_plain);
}

}  // namespace

std::vector<std::string> parse_references(const std::string& text, std::size_t limit) {
  std::vector<std::string> result;
  std::unordered_set<std::string> seen;
  const std::unique_ptr<GMimeReferences, FreeReferences> ids(g_mime_references_parse(nullptr, text.c_str()));
  const int count = ids ? g_mime_references_length(ids.get()) : 0;
  for (int i = 0; i < count && result.size() < limit; ++i) {
    const char* found = g_mime_references_get_message_id(ids.get(), i);
    std::string id(found == nullptr ? "" : found);
    replace_invalid(id);
    id.resize(cut_octets(id, reference_octets).size());
    if (!id.empty() && seen.insert(id).second) result.push_back(std::move(id));
  }
  return result;
}

std::string parse_message_id(std::string_view raw) {
  const std::string text(trim(raw));
  if (is_plain_id(text)) return text.substr(1, text.size() - 2);
  char* const decoded = g_mime_utils_decode_message_id(text.c_str());
  std::string id(decoded == nullptr ? "" : decoded);
  g_free(decoded);
  replace_invalid(id);
  return id;
}

}  // namespace lmtpd::mime
