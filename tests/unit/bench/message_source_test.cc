#include "bench/load/message_source.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bench::load {
namespace {

MessageMix mix_of(std::uint64_t size, double html, double attachments) {
  MessageMix mix;
  mix.min_octets = mix.max_octets = size;
  mix.html_share = html;
  mix.attachment_share = attachments;
  return mix;
}

// Every message of every kind and size.
template <typename Check>
void for_each_message(const Check& check) {
  for (const std::uint64_t size : {1500u, 3000u, 32000u, 1000000u}) {
    for (const auto& mix : {mix_of(size, 0, 0), mix_of(size, 1, 0), mix_of(size, 0, 1), mix_of(size, 0.3, 0.2)}) {
      MessageSource source(size, mix);
      for (int i = 0; i < (size > 100000 ? 2 : 50); ++i)
        check(source.next("m-" + std::to_string(i), "user@example.org"), size);
    }
  }
}

TEST(MessageSource, LinesEndWithCrlfAndAreShort) {
  for_each_message([](const std::string& message, std::uint64_t) {
    ASSERT_TRUE(message.ends_with("\r\n"));
    std::size_t start = 0;
    for (std::size_t at = 0; at < message.size(); ++at) {
      ASSERT_NE(message[at], '\0');
      if (message[at] == '\n') {
        ASSERT_EQ(message[at - 1], '\r');
        ASSERT_LE(at + 1 - start, 1000u) << "RFC 5321, 4.5.3.1.6";
        start = at + 1;
      } else if (message[at] == '\r') {
        ASSERT_EQ(message[at + 1], '\n');
      }
    }
  });
}

TEST(MessageSource, NoLineBeginsWithADot) {
  for_each_message([](const std::string& message, std::uint64_t) {
    ASSERT_FALSE(message.starts_with("."));
    ASSERT_EQ(message.find("\n."), std::string::npos);
  });
}

TEST(MessageSource, SizesAreAsAskedFor) {
  for_each_message([](const std::string& message, std::uint64_t size) {
    const auto octets = static_cast<double>(message.size());
    const auto wanted = static_cast<double>(size);
    ASSERT_GE(octets, wanted * 0.85);
    ASSERT_LE(octets, wanted * 1.06 + 700);  // line ends of base64 and markup come on top
  });
}

TEST(MessageSource, MessagesAreUnique) {
  MessageSource source(1, MessageMix());
  std::set<std::string> bodies;
  for (int i = 0; i < 2000; ++i) {
    const std::string message = source.next("same", "user@example.org");
    bodies.insert(message.substr(message.find("\r\n\r\n")));
  }
  EXPECT_EQ(bodies.size(), 2000u);
}

TEST(MessageSource, TheSameSeedMakesTheSameMail) {
  MessageSource one(5, MessageMix());
  MessageSource same(5, MessageMix());
  MessageSource other(6, MessageMix());
  for (int i = 0; i < 20; ++i) {
    const std::string message = one.next("label", "user@example.org");
    EXPECT_EQ(message, same.next("label", "user@example.org"));
    EXPECT_NE(message, other.next("label", "user@example.org"));
  }
}

TEST(MessageSource, TheLabelIsInSubjectAndMessageId) {
  MessageSource source(1, MessageMix());
  const std::string message = source.next("m7-42", "user@example.org");
  EXPECT_NE(message.find("\r\nSubject: m7-42 "), std::string::npos);
  EXPECT_NE(message.find("\r\nMessage-ID: <m7-42."), std::string::npos);
}

}  // namespace
}  // namespace bench::load
