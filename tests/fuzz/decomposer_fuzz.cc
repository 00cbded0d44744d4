// Export equals received, the chunking never matters, readers get the text that the part layout promises, text columns
// are valid. The first octet chooses the size of the pieces.
#include "lmtpd/mime/decomposer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lmtpd/mime/header_text.h"
#include "storage/reassembly.h"
#include "tests/fuzz/law.h"

namespace {

storage::Message decompose(std::string_view received, std::size_t step) {
  static const lmtpd::mime::Options options;
  lmtpd::mime::Decomposer decomposer(options, "a@example.org", "2026-11-30 10:57:45");
  for (std::size_t at = 0; at < received.size(); at += step) decomposer.feed(received.substr(at, step));
  return decomposer.finish();
}

bool same(const storage::Message& a, const storage::Message& b) {
  return a.text == b.text && a.parts == b.parts && a.headers == b.headers && a.references == b.references &&
         a.envelope == b.envelope && a.message_size == b.message_size && a.content_digest == b.content_digest &&
         a.facts == b.facts;
}

void check_text(const storage::Message& message) {
  using lmtpd::mime::is_utf8;
  for (const storage::HeaderField& header : message.headers) {
    test::law(is_utf8(header.name) && is_utf8(header.value) && is_utf8(header.sortfield),
              "header rows are valid UTF-8");
    test::law(header.value.size() <= 65535, "header values fit");
  }
  for (const std::string& id : message.references)
    test::law(is_utf8(id) && id.size() <= 255, "references are valid and fit");
  test::law(is_utf8(message.envelope) && message.envelope.size() <= 65535, "the envelope is valid and fits");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string received(reinterpret_cast<const char*>(data) + 1, size - 1);
  const storage::Message message = decompose(received, std::max<std::size_t>(received.size(), 1));
  test::law(same(message, decompose(received, data[0] % 64 + 1u)), "the chunking never matters");

  std::vector<storage::PartView> rows;
  for (const storage::Part& part : message.parts) {
    const bool ascending =
        rows.empty() || part.key > rows.back().key || (part.key == rows.back().key && part.order > rows.back().order);
    test::law(ascending, "rows are in reading order and unique");
    rows.push_back({part.key, part.depth, part.order, part.is_header, message.blob(part)});
  }
  std::replace(received.begin(), received.end(), '\0', '\x80');
  test::law(storage::export_message(rows, message.message_size) == "Return-Path: a@example.org\r\n" + received,
            "export equals received");
  test::law(message.facts.two_rows || storage::reassemble(rows) == message.text, "readers get the text");
  check_text(message);
  return 0;
}
