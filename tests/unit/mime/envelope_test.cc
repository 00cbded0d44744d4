#include "lmtpd/mime/envelope.h"

#include <gtest/gtest.h>

#include <string>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

class Envelopes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialise_gmime(); }
};

TEST_F(Envelopes, NothingKnown) {
  EXPECT_EQ(render(Envelope()), "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)");
}

TEST_F(Envelopes, EverythingKnown) {
  Envelope envelope;
  envelope.date = "Mon, 30 Nov 2026 10:00:00 +0700";
  envelope.subject = "";
  envelope.from = parse_addresses("Ann <ann@example.org>");
  envelope.sender = parse_addresses("s@example.org");
  envelope.to = parse_addresses("G: a@example.org;, local");
  envelope.cc = parse_addresses("c@example.org");
  envelope.bcc = parse_addresses("b@example.org");
  envelope.in_reply_to = "<r@example.org>";
  envelope.message_id = "i@example.org";
  EXPECT_EQ(
      render(envelope),
      "(\"Mon, 30 Nov 2026 10:00:00 +0700\" \"\" ((\"Ann\" NIL \"ann\" \"example.org\")) ((NIL NIL \"s\" "
      "\"example.org\")) "
      "((\"Ann\" NIL \"ann\" \"example.org\")) "
      "((NIL NIL \"G\" NIL)(NIL NIL \"a\" \"example.org\")(NIL NIL NIL NIL)(NIL NIL \"local\" NIL)) "
      "((NIL NIL \"c\" \"example.org\")) ((NIL NIL \"b\" \"example.org\")) \"<r@example.org>\" \"<i@example.org>\")");
}

TEST_F(Envelopes, QuotesAndBackslashesAreEscaped) {
  Envelope envelope;
  envelope.subject = "He said \"hi\" \\ and\r\n left";
  envelope.from = parse_addresses("\"A \\\"B\\\"\" <\"john \\\" doe\"@example.org>");
  const std::string text = render(envelope);
  EXPECT_NE(text.find("\"He said \\\"hi\\\" \\\\ and left\""), std::string::npos) << text;
  EXPECT_NE(text.find("(\"A \\\"B\\\"\" NIL \"john \\\" doe\" \"example.org\")"), std::string::npos) << text;
}

// DBMail's rows have NIL there.
TEST_F(Envelopes, MessageIdsLeftOut) {
  for (const char* id : {"a=b@example.org", "x@(none)"}) {
    Envelope envelope;
    envelope.message_id = id;
    EXPECT_EQ(render(envelope), "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)");
  }
}

TEST_F(Envelopes, AlwaysFitsTheColumnAndStaysBalanced) {
  Envelope envelope;
  envelope.date = envelope.subject = envelope.in_reply_to = std::string(60000, '"');
  envelope.message_id = std::string(60000, '\\');
  for (AddressList* list : {&envelope.from, &envelope.to, &envelope.cc, &envelope.bcc}) {
    for (int i = 0; i < 2000; ++i) list->push_back({"name", "a@example.org", false, {}});
    list->push_back({"group", "", true, {{std::string(60000, 'x'), "a@example.org", false, {}}}});
  }
  const std::string text = render(envelope);
  EXPECT_LE(text.size(), 65535u);
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    }
  }
  EXPECT_EQ(depth, 0);
  EXPECT_FALSE(quoted);
}

}  // namespace
}  // namespace lmtpd::mime
