#include "tests/support/message_builder.h"

#include <array>
#include <span>
#include <vector>

namespace testing_support {
namespace {

// SplitMix64: small, and the same everywhere (the distributions of <random> are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string pick(std::span<const std::string_view> choices) { return std::string(choices[below(choices.size())]); }

 private:
  std::uint64_t state_;
};

constexpr std::array<std::string_view, 12> words = {"invoice", "the",  "quick", "meeting", "caf\xC3\xA9", "-- ", "--",
                                                    "From ",   ".dot", "a=b",   "\tx",     "  trailing  "};

constexpr std::array<std::string_view, 26> header_lines = {
    "From: Ann Sender <ann@example.org>\r\n",
    "From: =?iso-8859-1?Q?Ren=E9_M=FCller?= <rene@example.org>\r\n",
    "To: user1@example.test\r\n",
    "To: \"Last, First\" <lf@example.org>, Group: a@example.org, B <b@example.org>;\r\n",
    "Cc: undisclosed-recipients:;\r\n",
    "Subject: Re: [list] hello\r\n",
    "Subject: folded\r\n  subject\r\n\twith tab\r\n",
    "Subject: =?utf-8?B?8J+MjSBoZWxsbyDkuJbnlYw=?= =?utf-8?Q?=E2=82?=\r\n",
    "Subject: raw \xE9 \xC1\xBE \xE2\x80 \xED\xA0\x80 end\r\n",
    "Subject: He said \"hi\" \\ there\r\n",
    "Subject:\r\n",
    "Date: Mon, 30 Nov 2026 10:00:00 +0700\r\n",
    "Date: Thu, 31 Feb 4459 99:99:99 +9999\r\n",
    "Message-ID: <id-1@example.org>\r\n",
    "References: <a@example.org>\r\n <b@example.org> <a@example.org>\r\n",
    "In-Reply-To: <b@example.org>\r\n",
    "Received: from a.example.net\r\n\tby b.example.test; Mon, 30 Nov 2026 10:00:00 +0700\r\n",
    "X-Blank : before the colon\r\n",
    "no header at all\r\n",
    "X-Empty:\r\n \r\n",
    "MIME-Version: 1.0\r\n",
    "Content-Disposition: attachment; filename=\"x y.pdf\"\r\n",
    "Return-Path: <old@example.org>\r\n",
    "Reply-To: (comment only)\r\n",
    "Sender: s@example.org; t@example.org\r\n",
    ": no name\r\n"};

constexpr std::array<std::string_view, 16> boundaries = {
    "a", "ab", "abc", "b1",  "=_Part_1", "--", "--a", "x y", "in2", "out-1", "----=_NextPart_000_0001",
    "B", "0",  "'q'", "a--", "+"};

constexpr std::array<std::string_view, 7> leaf_types = {"text/plain; charset=utf-8",
                                                        "text/html",
                                                        "application/pdf; name=x.pdf",
                                                        "message/delivery-status",
                                                        "image/png",
                                                        "Text/PLAIN",
                                                        "message/partial"};

class Builder {
 public:
  explicit Builder(std::uint64_t seed) : random_(seed), calm_(random_.one_in(3)) {}

  std::string odd() {
    if (rarely(60)) return shapeless();
    std::string text;
    if (rarely(40)) text += "From ann@example.org Mon Nov 30 10:00:00 2026\r\n";
    if (rarely(60)) text += " a fold first\r\n";
    for (std::size_t i = random_.below(7); i > 0; --i) text += random_.pick(header_lines);
    entity(text, 0);
    if (rarely(3)) spoil(text);
    return text;
  }

  std::string regular(std::size_t octets) {
    std::string text =
        "Received: from a.example.net (a.example.net [192.0.2.1])\r\n\tby mx.example.test with ESMTP id 1\r\n"
        "\tfor <user1@example.test>; Mon, 30 Nov 2026 10:00:00 +0700\r\n"
        "From: Ann Sender <ann@example.org>\r\nTo: User One <user1@example.test>\r\nSubject: number ";
    text += std::to_string(random_.next()) + "\r\nDate: Mon, 30 Nov 2026 10:00:00 +0700\r\nMessage-ID: <" +
            std::to_string(random_.next()) + "@example.org>\r\nMIME-Version: 1.0\r\n";
    if (random_.one_in(2)) {
      text += "Content-Type: text/plain; charset=utf-8\r\n\r\n";
      encoded_lines(text, octets);
      return text;
    }
    text +=
        "Content-Type: multipart/mixed; boundary=\"=_1\"\r\n\r\n--=_1\r\nContent-Type: text/plain\r\n\r\nsee "
        "attached\r\n\r\n"
        "--=_1\r\nContent-Type: application/octet-stream; name=\"a.bin\"\r\nContent-Transfer-Encoding: base64\r\n\r\n";
    encoded_lines(text, octets);
    return text += "\r\n--=_1--\r\n";
  }

 private:
  // One message in three has none of what most programs would never send.
  bool rarely(std::size_t n) { return !calm_ && random_.one_in(n); }

  std::string shapeless() {
    constexpr std::array<std::string_view, 14> shapes = {"",
                                                         "\r\n",
                                                         "\n",
                                                         "\r",
                                                         "\r\r\n",
                                                         "a",
                                                         "Subject: x",
                                                         "Subject: x\r\n",
                                                         "Subject: x\r",
                                                         "no header\r\n",
                                                         "\r\n\r\n",
                                                         "Subject: x\r\n\r\n",
                                                         "no header\r\n\r\nbody",
                                                         "\0"};
    return random_.pick(shapes);
  }

  void encoded_lines(std::string& text, std::size_t octets) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (text.size() < octets) {
      std::uint64_t bits = 0;
      for (int i = 0; i < 76; ++i) {
        if (i % 10 == 0) bits = random_.next();
        text += digits[bits & 63];
        bits >>= 6;
      }
      text += "\r\n";
    }
  }

  void lines(std::string& text, std::size_t count) {
    for (; count > 0; --count) {
      for (std::size_t i = random_.below(4); i > 0; --i) text += random_.pick(words);
      if (rarely(40)) text += "--" + random_.pick(boundaries) + (random_.one_in(2) ? "--" : "");
      text += "\r\n";
    }
  }

  // The Content-* headers, the blank line, and what follows up to a line break that belongs to nothing.
  void entity(std::string& text, int depth) {
    const std::size_t kind = random_.below(10);
    if (depth < 6 && kind < 4) return multipart(text, depth);
    if (depth < 6 && kind == 4) return message(text, depth);
    leaf(text);
  }

  void leaf(std::string& text) {
    if (!random_.one_in(5)) text += "Content-Type: " + random_.pick(leaf_types) + "\r\n";
    if (random_.one_in(6)) text += "Content-Transfer-Encoding: Binary\r\n";
    if (rarely(50)) return;  // no blank line
    text += "\r\n";
    lines(text, random_.below(4));
  }

  void message(std::string& text, int depth) {
    text += random_.one_in(4) ? "content-type: Message/RFC822; x=\"y\"\r\n" : "Content-Type: message/rfc822\r\n";
    if (rarely(8)) text += "Content-Transfer-Encoding: base64\r\n";
    text += "\r\n";
    for (std::size_t i = random_.below(4); i > 0; --i) text += random_.pick(header_lines);
    entity(text, depth + 1);
  }

  std::string boundary() {
    switch (calm_ ? 99 : random_.below(20)) {
      case 0:
        return std::string(71, 'x');
      case 1:
        return std::string(127, 'y');
      case 2:
        return std::string(128, 'z');
      case 3:
        return std::string(1001, 'w');
      default:
        return random_.pick(boundaries);
    }
  }

  std::string content_type(const std::string& boundary) {
    constexpr std::array<std::string_view, 4> subtypes = {"multipart/mixed", "multipart/alternative",
                                                          "Multipart/DIGEST", "multipart/report"};
    const std::string type = random_.pick(subtypes);
    switch (calm_ ? 99 : random_.below(40)) {
      case 0:
        return "Content-Type:" + type + "; boundary=\"" + boundary + "\"\r\n";
      case 1:
        return "Content-Type:\r\n " + type + "; boundary=\"" + boundary + "\"\r\n";
      case 2:
        return "content-type: " + type + ";\r\n\tcharset=x;\r\n BOUNDARY = \"" + boundary + "\"\r\n";
      case 3:
        return "Content-Type: " + type + "\r\n";
      case 4:
        return "Content-Type: " + type + "; xboundary=q; boundary=" + boundary + "; z\r\n";
      case 5:
        return "Content-Type: " + type + "; boundary*0=" + boundary + "\r\n";
      case 6:
        return "Content-Type: text/plain\r\nContent-Type: " + type + "; boundary=" + boundary + "\r\n";
      default:
        return "Content-Type: " + type + "; boundary=\"" + boundary + "\"\r\n";
    }
  }

  void multipart(std::string& text, int depth) {
    const std::string mark = boundary();
    text += content_type(mark) + "\r\n";
    if (random_.one_in(3)) lines(text, 1 + random_.below(2));
    for (std::size_t i = rarely(12) ? 0 : 1 + random_.below(3); i > 0; --i) {
      text += "--" + mark + (rarely(40) ? " \t" : "") + "\r\n";
      entity(text, depth + 1);
      if (!rarely(12)) text += "\r\n";
    }
    if (rarely(15)) return;  // the end is missing
    text += "--" + mark + "--\r\n";
    if (random_.one_in(3)) lines(text, random_.below(3));
  }

  void spoil(std::string& text) {
    const auto somewhere = [&] { return random_.below(text.size() + 1); };
    switch (random_.below(9)) {
      case 0:  // no last line end
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
        break;
      case 1:
        text.resize(somewhere());
        break;
      case 2:
        text.insert(somewhere(), "\n");
        break;
      case 3:
        text.insert(somewhere(), "\r");
        break;
      case 4:
        text.insert(somewhere(), 1, '\0');
        break;
      case 5:
        std::erase(text, '\r');
        break;
      case 6:
        text.insert(somewhere(), 1, static_cast<char>(random_.below(256)));
        break;
      case 7:
        text += '\r';
        break;
      default:
        text += "\r\n\r\n";
        break;
    }
  }

  Random random_;
  bool calm_;
};

}  // namespace

std::string random_message(std::uint64_t seed) {
  return Builder(seed).odd();
}

std::string regular_message(std::uint64_t seed, std::size_t octets) {
  return Builder(seed).regular(octets);
}

std::string nested_multiparts(int levels) {
  std::string text = "From: a@example.org\r\nSubject: deep\r\n";
  for (int i = 0; i < levels; ++i) {
    const std::string mark = "d" + std::to_string(i);
    text += "Content-Type: multipart/mixed; boundary=\"" + mark + "\"\r\n\r\n--" + mark + "\r\n";
  }
  text += "Content-Type: text/plain\r\n\r\nbottom\r\n";
  for (int i = levels; i-- > 0;) text += "\r\n--d" + std::to_string(i) + "--\r\n";
  return text;
}

std::string nested_messages(int levels) {
  std::string text = "From: a@example.org\r\nSubject: deep\r\n";
  for (int i = 0; i < levels; ++i) text += "Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n";
  return text += "\r\nbottom\r\n";
}

}  // namespace testing_support
