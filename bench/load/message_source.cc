#include "bench/load/message_source.h"

#include <array>

namespace bench::load {
namespace {

constexpr std::array<std::string_view, 48> words = {
    "the",     "report",  "meeting", "is",       "on",     "Tuesday", "please", "find",    "attached", "invoice", "number", "for",
    "your",    "order",   "we",      "will",     "send",   "it",      "again",  "next",    "week",     "and",     "thanks", "best",
    "regards", "a",       "question", "about",   "server", "update",  "to",     "version", "has",      "been",    "moved",  "from",
    "house",   "project", "team",    "customer", "early",  "morning", "answer", "price",   "list",     "of",      "new",    "products"};
constexpr std::array<std::string_view, 8> first_names = {"Anna", "Bernd", "Chloe", "Dirk", "Elena", "Farid", "Grete", "Hiro"};
constexpr std::array<std::string_view, 8> last_names = {"Rossi", "Weber", "Dubois", "Smith", "Novak", "Haddad", "Lind", "Sato"};
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string MessageSource::token(std::size_t length) {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += digits[below(digits.size())];
  return out;
}

void MessageSource::append_word(std::string& out) { out += words[below(words.size())]; }

void MessageSource::append_headers(std::string& out, std::string_view label, std::string_view recipient) {
  const std::string_view first = first_names[below(first_names.size())];
  const std::string_view last = last_names[below(last_names.size())];
  const std::string host = "mail" + std::to_string(below(900) + 100) + ".example.net";
  const std::string second = std::to_string(10 + below(50));
  out += "Received: from " + host + " (" + host + " [192.0.2." + std::to_string(below(254) + 1) +
         "])\r\n\tby mx1.example.test (Postfix) with ESMTPS id " + token(11) + "\r\n\tfor <";
  out += recipient;
  out += ">; Mon, 30 Nov 2026 10:" + second + ":07 +0100 (CET)\r\n";
  out += "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=example.net; s=mail;\r\n\tt=1795000000; bh=";
  append_base64(out, 44);
  out += ";\r\n\th=From:To:Subject:Date:Message-ID:From;\r\n\tb=";
  append_base64(out, 172);
  out += "\r\nDate: Mon, 30 Nov 2026 10:" + second + ":05 +0100\r\nFrom: ";
  out.append(first).append(" ").append(last).append(" <").append(token(8)).append("@example.net>\r\nTo: <").append(recipient);
  out.append(">\r\nMessage-ID: <").append(label).append(".").append(token(16)).append("@").append(host).append(">\r\nSubject: ");
  out.append(label);
  for (int i = 0; i < 6; ++i) {
    out += ' ';
    append_word(out);
  }
  out += "\r\nMIME-Version: 1.0\r\nUser-Agent: Mozilla Thunderbird\r\nContent-Language: en-US\r\n";
  if (below(3) == 0) {
    out.append("In-Reply-To: <").append(token(20)).append("@example.net>\r\nReferences: <").append(token(20)).append("@example.net>\r\n <");
    out.append(token(20)).append("@example.net>\r\n");
  }
}

void MessageSource::append_text(std::string& out, std::size_t octets) {
  const std::size_t end = out.size() + octets;
  std::size_t line = 0;
  while (out.size() < end) {
    const std::size_t before = out.size();
    append_word(out);
    line += out.size() - before + 1;
    if (line > 66) {
      out += "\r\n";
      line = 0;
    } else {
      out += ' ';
    }
  }
  out += "\r\n";
}

void MessageSource::append_html(std::string& out, std::size_t octets) {
  const std::size_t end = out.size() + octets;
  out += "<html><head><meta charset=\"utf-8\"></head><body>\r\n";
  while (out.size() + 20 < end) {
    out += "<p style=\"margin:0\">";
    append_text(out, std::min<std::size_t>(end - out.size(), 160));
    out += "</p>\r\n";
  }
  out += "</body></html>\r\n";
}

void MessageSource::append_base64(std::string& out, std::size_t octets) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < octets; ++i) {
    if (i % 10 == 0) bits = random_();
    out += base64_digits[bits & 63];
    bits >>= 6;
    if (i % 76 == 75 && i + 1 < octets) out += octets > 200 ? "\r\n" : "\r\n\t";
  }
}

std::string MessageSource::next(std::string_view label, std::string_view recipient) {
  const std::uint64_t size = mix_.min_octets + below(mix_.max_octets - mix_.min_octets + 1);
  const double kind = static_cast<double>(below(1000)) / 1000.0;
  std::string out;
  out.reserve(size + 512);
  append_headers(out, label, recipient);
  const std::size_t rest = size > out.size() + 400 ? size - out.size() - 400 : 64;
  const std::string boundary = "------------" + token(24);
  if (kind < mix_.attachment_share) {
    out += "Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n\r\nThis is a multi-part message in MIME format.\r\n--" +
           boundary + "\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n";
    append_text(out, rest / 5);
    out += "\r\n--" + boundary + "\r\nContent-Type: application/pdf; name=\"report.pdf\"\r\nContent-Disposition: attachment; " +
           "filename=\"report.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\n";
    append_base64(out, rest - rest / 5);
    out += "\r\n--" + boundary + "--\r\n";
  } else if (kind < mix_.attachment_share + mix_.html_share) {
    out += "Content-Type: multipart/alternative; boundary=\"" + boundary + "\"\r\n\r\n--" + boundary +
           "\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n";
    append_text(out, rest / 3);
    out += "\r\n--" + boundary + "\r\nContent-Type: text/html; charset=UTF-8\r\n\r\n";
    append_html(out, rest - rest / 3);
    out += "\r\n--" + boundary + "--\r\n";
  } else {
    out += "Content-Type: text/plain; charset=UTF-8; format=flowed\r\nContent-Transfer-Encoding: 8bit\r\n\r\n";
    append_text(out, rest + 250);
  }
  return out;
}

}  // namespace bench::load
