#include "lmtpd/mime/content_type.h"

#include <gtest/gtest.h>

#include <string>

namespace lmtpd::mime {
namespace {

struct Case {
  const char* value;
  const char* type;  // "type/subtype"
  const char* boundary;
};

TEST(ContentType, Values) {
  for (const Case& c : {
           Case{" text/plain; charset=utf-8", "text/plain", ""},
           Case{"\r\n Multipart/Mixed;\r\n\tboundary=abc", "Multipart/Mixed", "abc"},
           Case{"multipart/mixed; BOUNDARY = \"a b;c\" ; x=y", "multipart/mixed", "a b;c"},
           Case{"multipart/mixed; x=\"; boundary=no\"; boundary=yes", "multipart/mixed", "yes"},
           Case{"multipart/mixed; x=\"\\\"; boundary=no\"; boundary=yes", "multipart/mixed", "yes"},
           Case{"multipart/mixed (comment); boundary=\"a\\\"b\"", "multipart/mixed", "a\"b"},
           Case{"multipart/mixed; xboundary=a", "multipart/mixed", ""},
           Case{"multipart/mixed; boundary*0=a", "multipart/mixed", ""},
           Case{"multipart/mixed; boundary", "multipart/mixed", ""},
           Case{"multipart/mixed; boundary=\"open", "multipart/mixed", "open"},
           Case{"text/plain; boundary=a", "text/plain", ""},
           Case{"text / html", "text/html", ""},
           Case{"text", "text/", ""},
           Case{"", "/", ""},
           Case{"/;;=\"", "/", ""},
       }) {
    const ContentType type = parse_content_type(c.value);
    EXPECT_EQ(type.type + "/" + type.subtype, c.type) << c.value;
    EXPECT_EQ(type.boundary, c.boundary) << c.value;
  }
}

TEST(ContentType, BoundaryLength) {
  const auto boundary = [](std::size_t length) {
    return parse_content_type("multipart/mixed; boundary=" + std::string(length, 'x')).boundary.size();
  };
  EXPECT_EQ(boundary(70), 70u);
  EXPECT_EQ(boundary(1000), 1000u);
  EXPECT_EQ(boundary(1001), 0u) << "none, rather than a part of it";
}

TEST(ContentType, Messages) {
  for (const char* type : {"message/rfc822", "Message/RFC2822", "message/global", "message/news"}) {
    EXPECT_TRUE(parse_content_type(type).is_message()) << type;
  }
  for (const char* type : {"message/delivery-status", "message/partial", "text/rfc822", "message"}) {
    EXPECT_FALSE(parse_content_type(type).is_message()) << type;
  }
}

TEST(PartDescription, FirstFieldsCount) {
  const PartDescription part = describe_part(
      "X-Content-Type: a/b\nCONTENT-TYPE: c/d\nContent-Type: e/f\nContent-Transfer-Encoding: Base64 "
      "\nContent-Transfer-Encoding: binary\n");
  EXPECT_EQ(part.type.type, "c");
  EXPECT_TRUE(part.encoded);
  EXPECT_FALSE(part.binary);
  EXPECT_TRUE(describe_part("Content-Transfer-Encoding:\n  binary (really)\n").binary);
  EXPECT_TRUE(describe_part("").type.type.empty());
}

}  // namespace
}  // namespace lmtpd::mime
