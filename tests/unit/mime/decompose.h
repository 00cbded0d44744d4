// tests/unit/mime/decompose.h: what the tests of the decomposer share.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lmtpd/mime/decomposer.h"
#include "storage/reassembly.h"

namespace storage {

inline bool operator==(const Message& a, const Message& b) {
  const auto all = [](const Message& m) {
    return std::tie(m.text, m.parts, m.headers, m.references, m.envelope, m.internal_date, m.message_size, m.rfc_size,
                    m.content_digest, m.facts);
  };
  return all(a) == all(b);
}

inline std::ostream& operator<<(std::ostream& out, const Message& message) {
  for (const Part& part : message.parts) {
    out << "(" << part.key << "," << part.depth << "," << part.order << (part.is_header ? ",H " : " ")
        << part.data.length << ") ";
  }
  return out << message.headers.size() << " headers, " << message.text.size() << " octets";
}

}  // namespace storage

namespace lmtpd::mime {

inline storage::Message decompose_in_chunks(std::string_view received, std::size_t size,
                                            const Options& options = Options(),
                                            std::string_view sender = "sender@example.org") {
  Decomposer decomposer(options, sender, "2026-11-30 10:57:45");
  for (std::size_t at = 0; at < received.size(); at += size) decomposer.feed(received.substr(at, size));
  return decomposer.finish();
}

inline storage::Message decompose(std::string_view received, const Options& options = Options(),
                                  std::string_view sender = "sender@example.org") {
  return decompose_in_chunks(received, std::max<std::size_t>(received.size(), 1), options, sender);
}

inline std::vector<storage::PartView> rows_of(const storage::Message& message) {
  std::vector<storage::PartView> rows;
  for (const storage::Part& part : message.parts) {
    rows.push_back({part.key, part.depth, part.order, part.is_header, message.blob(part)});
  }
  return rows;
}

inline std::string exported(const storage::Message& message) {
  return storage::export_message(rows_of(message), message.message_size);
}

}  // namespace lmtpd::mime
