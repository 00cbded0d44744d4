// Messages → rows, one JSON object per line on standard output; octets in base64. For the tests in Python that compare
// them with the reference and reassemble them with an oracle of its own.
//   dump_rows FOLDER           every *.eml of a folder → the rows that lmtpd would write
//   dump_rows FOLDER ENGINE    … stored in a fresh database of that engine, and what plain SQL then finds there
//   dump_rows --random COUNT   generated messages → the rows that lmtpd would write
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "storage/reassembly.h"
#include "tests/golden/stored_mail.h"
#include "tests/support/message_builder.h"
#include "tests/support/message_rows.h"

namespace {

using testing_support::Engine;
using testing_support::HeaderRow;
using testing_support::MessageRows;
using testing_support::PartRow;

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

std::string parts_json(const std::vector<PartRow>& parts) {
  std::string out;
  for (const PartRow& part : parts) {
    out += out.empty() ? "" : ",";
    out += "{\"part_key\":" + std::to_string(part.key) + ",\"part_depth\":" + std::to_string(part.depth) +
           ",\"part_order\":" + std::to_string(part.order) + ",\"is_header\":" + std::to_string(int{part.is_header}) +
           ",\"size\":" + std::to_string(part.size) + ",\"hash\":" + json_text(part.hash) +
           ",\"data\":" + json_text(base64(part.data)) + "}";
  }
  return "[" + out + "]";
}

std::string headers_json(const std::vector<HeaderRow>& headers) {
  std::string out;
  for (const HeaderRow& header : headers) {
    out += out.empty() ? "" : ",";
    out += "{\"headername\":" + json_text(header.name) + ",\"headervalue\":" + json_text(header.value) +
           ",\"sortfield\":" + json_text(header.sortfield) + ",\"hash\":" + json_text(header.hash) +
           ",\"datefield\":" + (header.day.empty() ? "null" : json_text(header.day)) + "}";
  }
  return "[" + out + "]";
}

std::string texts_json(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + json_text(text);
  return "[" + out + "]";
}

struct Mail {
  std::string name;
  std::string received;
};

std::string json(const Mail& mail, const MessageRows& rows, std::string_view exported) {
  return "{\"name\":" + json_text(mail.name) + ",\"message_size\":" + std::to_string(rows.message_size) +
         ",\"rfc_size\":" + std::to_string(rows.rfc_size) + ",\"parts\":" + parts_json(rows.parts) +
         ",\"headers\":" + headers_json(rows.headers) + ",\"references\":" + texts_json(rows.references) +
         ",\"envelope\":" + texts_json(rows.envelopes) + ",\"received\":" + json_text(base64(mail.received)) +
         ",\"reassembled\":" + json_text(base64(storage::reassemble(views_of(rows)))) +
         ",\"exported\":" + json_text(base64(exported)) + "}";
}

std::vector<Mail> read_folder(const std::filesystem::path& folder) {
  std::vector<Mail> mails;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".eml") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    mails.push_back({entry.path().stem().string(), {std::istreambuf_iterator<char>(in), {}}});
  }
  std::sort(mails.begin(), mails.end(), [](const Mail& a, const Mail& b) { return a.name < b.name; });
  return mails;
}

// The names that the reference caches; a store has them as rows of headername.
bool is_cached(const HeaderRow& header) {
  static const std::set<std::string> names = {
      "return-path", "reply-to", "in-reply-to", "references", "content-disposition", "content-type", "subject", "date",
      "bcc",         "cc",       "to",          "from"};
  return names.contains(header.name);
}

void dump_in_memory(const Mail& mail) {
  MessageRows rows = testing_support::rows_of(golden::decompose(mail.received));
  std::erase_if(rows.headers, [](const HeaderRow& header) { return !is_cached(header); });
  std::cout << json(mail, rows, storage::export_message(views_of(rows), rows.message_size)) << '\n';
}

void dump_stored(const std::vector<Mail>& mails, Engine engine) {
  golden::StoredMail store(engine);
  std::vector<storage::Message> messages;
  for (const Mail& mail : mails) messages.push_back(golden::decompose(mail.received));
  const std::vector<storage::MessageId> uids = store.store(std::move(messages));
  for (std::size_t i = 0; i < mails.size(); ++i) {
    const storage::StoredMessage loaded = store.load(uids[i]);
    std::cout << json(mails[i], store.rows(uids[i]),
                      storage::export_message(golden::views_of(loaded), loaded.message_size))
              << '\n';
  }
}

Engine engine_named(std::string_view name) {
  for (const Engine engine : {Engine::sqlite, Engine::postgresql, Engine::mysql}) {
    if (testing_support::to_string(engine) == name) return engine;
  }
  throw std::invalid_argument("no engine " + std::string(name));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--random") {
    for (std::uint64_t seed = 0; seed < std::stoull(arguments[1]); ++seed)
      dump_in_memory({"seed " + std::to_string(seed), testing_support::random_message(seed)});
  } else if (arguments.size() == 2) {
    dump_stored(read_folder(arguments[0]), engine_named(arguments[1]));
  } else if (arguments.size() == 1) {
    for (const Mail& mail : read_folder(arguments[0])) dump_in_memory(mail);
  } else {
    std::cerr << "usage: dump_rows FOLDER [ENGINE] | --random COUNT\n";
    return 2;
  }
  return 0;
}
