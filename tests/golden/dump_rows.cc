// dump_rows FOLDER: every *.eml of a folder → the rows that lmtpd would write, one JSON object per line on standard
// output; octets in base64. For the tests in Python that compare them with the reference and reassemble them with an
// oracle of its own.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "lmtpd/mime/decomposer.h"
#include "storage/reassembly.h"
#include "tests/support/message_builder.h"

namespace {

std::string base64(std::string_view octets) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < octets.size(); at += 3) {
    const std::string_view group = octets.substr(at, 3);
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= group.size() ? digits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string parts_json(const storage::Message& message) {
  std::string out;
  for (const storage::Part& part : message.parts) {
    out += out.empty() ? "" : ",";
    out += "{\"part_key\":" + std::to_string(part.key) + ",\"part_depth\":" + std::to_string(part.depth) +
           ",\"part_order\":" + std::to_string(part.order) + ",\"is_header\":" + std::to_string(int{part.is_header}) +
           ",\"size\":" + std::to_string(part.data.length) + ",\"hash\":" + json_text(part.hash) +
           ",\"data\":" + json_text(base64(message.blob(part))) + "}";
  }
  return "[" + out + "]";
}

std::string headers_json(const storage::Message& message) {
  std::string out;
  for (const storage::HeaderField& header : message.headers) {
    out += out.empty() ? "" : ",";
    out += "{\"headername\":" + json_text(header.name) + ",\"headervalue\":" + json_text(header.value) +
           ",\"sortfield\":" + json_text(header.sortfield) + ",\"hash\":" + json_text(header.hash) +
           ",\"datefield\":" + (header.date ? json_text(*header.date) : "null") + "}";
  }
  return "[" + out + "]";
}

std::string references_json(const storage::Message& message) {
  std::string out;
  for (const std::string& reference : message.references) out += (out.empty() ? "" : ",") + json_text(reference);
  return "[" + out + "]";
}

std::string json(const std::string& name, std::string_view received) {
  static const lmtpd::mime::Options options;
  lmtpd::mime::Decomposer decomposer(options, "sender@example.org", "2026-11-30 10:57:45");
  decomposer.feed(received);
  const storage::Message message = decomposer.finish();
  std::vector<storage::PartView> rows;
  for (const storage::Part& part : message.parts) {
    rows.push_back({part.key, part.depth, part.order, part.is_header, message.blob(part)});
  }
  return "{\"name\":" + json_text(name) + ",\"message_size\":" + std::to_string(message.message_size) +
         ",\"rfc_size\":" + std::to_string(message.rfc_size) +
         ",\"two_rows\":" + (message.facts.two_rows ? "true" : "false") + ",\"parts\":" + parts_json(message) +
         ",\"headers\":" + headers_json(message) + ",\"references\":" + references_json(message) +
         ",\"envelope\":" + json_text(message.envelope) + ",\"received\":" + json_text(base64(received)) +
         ",\"reassembled\":" + json_text(base64(storage::reassemble(rows))) +
         ",\"exported\":" + json_text(base64(storage::export_message(rows, message.message_size))) + "}";
}

void dump_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".eml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string octets{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::cout << json(file.stem().string(), octets) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    dump_folder(argv[1]);
  } else if (argc == 3 && std::string_view(argv[1]) == "--random") {
    for (std::uint64_t seed = 0; seed < std::stoull(argv[2]); ++seed) {
      std::cout << json("seed " + std::to_string(seed), testing_support::random_message(seed)) << '\n';
    }
  } else {
    std::cerr << "usage: dump_rows FOLDER | --random COUNT\n";
    return 2;
  }
  return 0;
}
