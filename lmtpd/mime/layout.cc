#include "lmtpd/mime/layout.h"

#include "storage/reassembly.h"

namespace lmtpd::mime {
namespace {

bool reproduces(const std::vector<storage::Part>& parts, const storage::Message& message) {
  std::vector<storage::PartView> rows;
  rows.reserve(parts.size());
  for (const storage::Part& part : parts) {
    rows.push_back({part.key, part.depth, part.order, part.is_header, message.blob(part)});
  }
  return storage::reassembles_to(rows, message.text);
}

// Keeps the hashes of rows that stay what they are.
std::vector<storage::Part> two_rows(std::vector<storage::Part> parts, const TopHeader& top, std::size_t size) {
  storage::Part body{1, 0, 1, false, {top.body, size - top.body}, {}};
  if (parts.size() > 1 && parts[1] == storage::Part{1, 0, 1, false, body.data, parts[1].hash})
    body.hash = parts[1].hash;
  parts.resize(1);
  if (body.data.length > 0) parts.push_back(std::move(body));
  return parts;
}

}  // namespace

void choose_layout(std::vector<storage::Part> parts, const TopHeader& top, const Options& options,
                   storage::Message& message) {
  message.facts.two_rows = !reproduces(parts, message);
  if (message.facts.two_rows) parts = two_rows(std::move(parts), top, message.text.size());
  Digest digest(options.hash);
  for (storage::Part& part : parts) {
    if (part.hash.empty()) part.hash = digest.hex_of(message.blob(part));
  }
  message.parts = std::move(parts);
}

}  // namespace lmtpd::mime
