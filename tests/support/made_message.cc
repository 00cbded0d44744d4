#include "tests/support/made_message.h"

#include <openssl/evp.h>

#include <stdexcept>
#include <utility>

namespace testing_support {
namespace {

std::vector<unsigned char> digest_of(std::string_view text, const EVP_MD* algorithm) {
  std::vector<unsigned char> out(EVP_MAX_MD_SIZE);
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), out.data(), &size, algorithm, nullptr) != 1)
    throw std::runtime_error("EVP_Digest");
  out.resize(size);
  return out;
}

}  // namespace

std::string sha1_hex(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : digest_of(text, EVP_sha1())) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

MadeMessage::MadeMessage(std::string_view body) {
  message_.internal_date = "2024-11-06 04:30:00";
  message_.envelope =
      R"(("Tue, 5 Nov 2024 23:30:00 -0500" "Grüße \"x\" 🌍" NIL NIL NIL NIL NIL NIL NIL "<1@example.org>"))";
  part(1, 0, 0, true, "Return-Path: <sender@example.org>\nFrom: a@example.org\n");
  part(1, 0, 1, false, body);
  header("return-path", "sender@example.org");
  header("from", " <a@example.org>");
  header("subject", "Grüße 🌍");
  date("Tue, 5 Nov 2024 23:30:00 -0500", "2024-11-05");
}

MadeMessage& MadeMessage::header(std::string name, std::string value) {
  storage::HeaderField field;
  field.name = std::move(name);
  field.hash = sha1_hex(value);
  field.sortfield = value.substr(0, 60);
  while (!field.sortfield.empty() && field.sortfield.size() == 60 &&
         (static_cast<unsigned char>(value[field.sortfield.size()]) & 0xC0) == 0x80) {
    field.sortfield.pop_back();
  }
  field.value = std::move(value);
  message_.headers.push_back(std::move(field));
  return *this;
}

MadeMessage& MadeMessage::date(std::string value, std::string day) {
  header("date", std::move(value));
  message_.headers.back().sortfield = day + " 23:30:00";
  message_.headers.back().date = std::move(day);
  return *this;
}

MadeMessage& MadeMessage::reference(std::string id) {
  message_.references.push_back(std::move(id));
  return *this;
}

MadeMessage& MadeMessage::part(int key, int depth, int order, bool is_header, std::string_view data) {
  storage::Part part;
  part.key = key;
  part.depth = depth;
  part.order = order;
  part.is_header = is_header;
  part.data = {message_.text.size(), data.size()};
  part.hash = sha1_hex(data);
  message_.text += data;
  message_.parts.push_back(std::move(part));
  digest();
  return *this;
}

MadeMessage& MadeMessage::with_hash(std::string hash) {
  message_.parts.back().hash = std::move(hash);
  return *this;
}

MadeMessage& MadeMessage::size(std::uint64_t octets) {
  message_.message_size = octets;
  message_.rfc_size = octets + 34;
  return *this;
}

void MadeMessage::digest() {
  const auto content = digest_of(message_.text, EVP_sha256());
  std::copy(content.begin(), content.end(), message_.content_digest.begin());
  size(message_.text.size());
}

storage::Delivery delivery_of(storage::Message message, std::vector<storage::Target> targets, std::string sender) {
  return {std::move(sender), std::move(message), std::move(targets)};
}

}  // namespace testing_support
