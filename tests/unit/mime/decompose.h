// tests/unit/mime/decompose.h: what the tests of the decomposer share.
#pragma once

#include <gtest/gtest.h>

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

inline const std::string return_path = "Return-Path: sender@example.org\r\n";

inline std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (; count > 0; --count) out += text;
  return out;
}

using Rows = std::vector<std::string>;

// "key depth order [H ]data" of each row.
inline Rows rows(const storage::Message& message) {
  Rows out;
  for (const storage::Part& part : message.parts) {
    out.push_back(std::to_string(part.key) + " " + std::to_string(part.depth) + " " + std::to_string(part.order) +
                  (part.is_header ? " H " : " ") + std::string(message.blob(part)));
  }
  return out;
}

inline const storage::HeaderField* find_header(const storage::Message& message, std::string_view name) {
  const auto found =
      std::find_if(message.headers.begin(), message.headers.end(), [&](const auto& h) { return h.name == name; });
  return found == message.headers.end() ? nullptr : &*found;
}

inline std::string header_value(const storage::Message& message, std::string_view name) {
  const storage::HeaderField* header = find_header(message, name);
  return header == nullptr ? "(none)" : header->value;
}

inline void expect_exported(const std::string& received) {
  SCOPED_TRACE(received.substr(0, 60));
  EXPECT_EQ(exported(decompose(received)), return_path + received);
}

}  // namespace lmtpd::mime
