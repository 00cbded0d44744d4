#include "lmtpd/mime/header_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

storage::Message headers_of(std::string_view block, std::string_view sender = "s@example.org") {
  initialise_gmime();
  storage::Message message;
  message.internal_date = "2026-11-30 10:57:45";
  read_headers(block, sender, Options(), message);
  return message;
}

// "name|value|sortfield|date" of each row.
std::vector<std::string> rows(const storage::Message& message) {
  std::vector<std::string> out;
  for (const storage::HeaderField& h : message.headers) {
    out.push_back(h.name + "|" + h.value + "|" + h.sortfield + "|" + h.date.value_or("-"));
  }
  return out;
}

using Rows = std::vector<std::string>;

TEST(HeaderCache, WhatMakesARow) {
  EXPECT_EQ(rows(headers_of(
                "Subject: Re: Hello\nDate: Tue, 5 Nov 2024 23:30:00 -0500\nX-A : blank before the colon\nX-Empty:  \n"
                "X-B: a\n  b\nFrom: just a name\n" +
                std::string(101, 'N') + ": too long\n")),
            (Rows{"return-path| <s@example.org>|s|-", "subject|Re: Hello|hello|-",
                  "date|Tue, 5 Nov 2024 23:30:00 -0500|2024-11-05 23:30:00|2024-11-05", "x-b|a\r\n  b|a\r\n  b|-",
                  "from|||-", "content-type|text/plain|text/plain|-"}));
}

TEST(HeaderCache, DateOfArrivalWhereThereIsNone) {
  EXPECT_EQ(rows(headers_of("", ""))[0], "date|Mon, 30 Nov 2026 10:57:45 +0000|2026-11-30 10:57:45|2026-11-30");
  EXPECT_EQ(rows(headers_of("Date: never\n", ""))[0], "date|never|never|-") << "an unreadable one is one";
}

TEST(HeaderCache, ContentHeadersAreCachedByMeaning) {
  const Rows found =
      rows(headers_of("Date: x\nContent-Type: Text/HTML; charset=utf-8\nContent-Type: a/b\nContent-Disposition: "
                      "attachment;\n filename=\"x y.pdf\"\n"
                      "Content-Transfer-Encoding: 8bit\n",
                      ""));
  EXPECT_EQ(found, (Rows{"date|x|x|-", "content-type|Text/HTML|Text/HTML|-",
                         "content-disposition|attachment; filename=\"x y.pdf\"|attachment; filename=\"x y.pdf\"|-"}));
  EXPECT_EQ(rows(headers_of("Date: x\nContent-Type: rubbish\n", ""))[1],
            "content-type|application/octet-stream|application/octet-stream|-");
}

TEST(HeaderCache, FirstOfRepeatedHeadersIsInTheEnvelope) {
  const auto message = headers_of("Subject:\nSubject: second\nFrom: a@x\nFrom: b@y\n");
  EXPECT_EQ(message.envelope,
            "(NIL \"\" ((NIL NIL \"a\" \"x\")) ((NIL NIL \"a\" \"x\")) ((NIL NIL \"a\" \"x\")) NIL NIL NIL NIL NIL)");
}

TEST(HeaderCache, EnvelopeAddresses) {
  const auto message =
      headers_of("From: =?utf-8?Q?Last=2C_First?=\n <lf@x>\nTo: one@a; two@b;\nCc: \"A;  B\" <c@x>\nSender: s@y\n");
  EXPECT_EQ(
      message.envelope,
      "(NIL NIL ((\"Last, First\" NIL \"lf\" \"x\")) ((NIL NIL \"s\" \"y\")) ((\"Last, First\" NIL \"lf\" \"x\")) "
      "((NIL NIL \"one\" \"a\")(NIL NIL \"two\" \"b\")) ((\"A; B\" NIL \"c\" \"x\")) NIL NIL NIL)");
}

TEST(HeaderCache, ReferencesNeedTheirHeader) {
  EXPECT_EQ(headers_of("References: <a@x>\n <b@x>\nIn-Reply-To: <c@x>\n").references,
            (std::vector<std::string>{"a@x", "b@x", "c@x"}));
  EXPECT_TRUE(headers_of("In-Reply-To: <c@x>\n").references.empty());
}

TEST(HeaderCache, Facts) {
  const auto message = headers_of("Received: a\nRECEIVED: a\nMessage-Id: <i@x>\nMessage-Id: <j@x>\n");
  EXPECT_EQ(message.facts.received_headers, 2u);
  EXPECT_EQ(message.facts.message_id, "i@x");
}

}  // namespace
}  // namespace lmtpd::mime
