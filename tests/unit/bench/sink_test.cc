#include <gtest/gtest.h>

#include <sstream>

#include "bench/sink/session.h"

namespace {

using bench::sink::label_of;
using bench::sink::Session;
using bench::sink::Tally;

constexpr std::string_view conversation =
    "LHLO mx.example.test\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@example.test>\r\nRCPT TO:<c@example.test>\r\nDATA\r\n"
    "Received: from here\r\nSubject: m1-7 a few words\r\n\r\nSubject: not this\r\n..dot\r\n.\r\n"
    "MAIL FROM:<>\r\nRCPT TO:<b@example.test>\r\ndata\r\n.\r\nQUIT\r\n";

std::string labels(const Tally& tally) {
  std::ostringstream out;
  tally.print_labels(out);
  return out.str();
}

// All replies to octets that arrive in pieces of this size.
std::string converse(Session& session, std::string_view octets, std::size_t piece) {
  std::string replies;
  for (std::size_t at = 0; at < octets.size(); at += piece) {
    replies += session.take(octets.substr(at, piece));
    while (session.message_ended()) replies += session.take({});
  }
  return replies;
}

TEST(Sink, HoweverTheOctetsArriveTheRepliesAreTheSame) {
  Tally whole_tally;
  Session whole(whole_tally);
  const std::string expected = converse(whole, conversation, conversation.size());
  EXPECT_TRUE(expected.ends_with("354 go on\r\n250 2.0.0 discarded\r\n221 2.0.0 bye\r\n")) << expected;
  EXPECT_NE(expected.find("354 go on\r\n250 2.0.0 discarded\r\n250 2.0.0 discarded\r\n250 2.0.0 ok\r\n"), std::string::npos) << expected;
  EXPECT_TRUE(whole.over());
  EXPECT_EQ(labels(whole_tally), "m1-7\nm1-7\n\n");
  for (std::size_t piece = 1; piece < conversation.size(); ++piece) {
    Tally tally;
    Session session(tally);
    EXPECT_EQ(converse(session, conversation, piece), expected) << piece;
    EXPECT_EQ(labels(tally), labels(whole_tally)) << piece;
  }
}

TEST(Sink, DataWithoutRecipientsIsRefused) {
  Tally tally;
  Session session(tally);
  EXPECT_EQ(session.take("MAIL FROM:<a@example.test>\r\nDATA\r\n"), "250 2.0.0 ok\r\n503 5.5.1 no recipients\r\n");
  EXPECT_EQ(session.take("RCPT TO:<b@example.test>\r\nRSET\r\nDATA\r\n"), "250 2.0.0 ok\r\n250 2.0.0 ok\r\n503 5.5.1 no recipients\r\n");
}

TEST(Sink, ALineWithoutEndEndsTheSession) {
  Tally tally;
  Session session(tally);
  EXPECT_EQ(session.take(std::string(70'000, 'x')), "");
  EXPECT_TRUE(session.over());
}

TEST(Sink, LabelIsTheFirstWordOfTheSubject) {
  EXPECT_EQ(label_of("\r\nSubject: one two\r\n\r\n"), "one");
  EXPECT_EQ(label_of("\r\nTo: x\r\nSubject: one\r\n\r\n"), "one");
  EXPECT_EQ(label_of("\r\nTo: x\r\n\r\n\r\nSubject: body\r\n"), "");
  EXPECT_EQ(label_of(""), "");
}

TEST(Sink, TallyCountsSessionsAndDeliveries) {
  Tally tally;
  tally.session_opened();
  tally.session_opened();
  tally.session_closed();
  tally.session_opened();
  tally.message("m1-1", 2);
  std::ostringstream out;
  tally.print_json(out);
  EXPECT_EQ(out.str(), "{\"deliveries\":2,\"most_open\":2,\"sessions\":3,\"transactions\":1}\n");
}

}  // namespace
