#include "lmtpd/mime/base_subject.h"

#include <gtest/gtest.h>

#include <string>

#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

struct Case {
  const char* subject;
  const char* base;
};

TEST(BaseSubject, AsDbmailHasIt) {
  initialise_gmime();
  for (const Case& c : {
           Case{"Fwd: RE[2]: Re: x (fwd)", "x"},
           Case{"[a][b] c", "c"},
           Case{"[fwd: inner subject]", "inner subject"},
           Case{"RE: Fw:  a\tb  c", "a b c"},
           Case{"Re: [list] Re: topic", "topic"},
           Case{"Hello\r\n World (fwd)", "hello\r\n world"},
           Case{"[only a blob]", "[only a blob]"},
           Case{"Re:", "re:"},
           Case{"re : : x", "x"},
           Case{"Re [a] : x", "x"},
           Case{"Return: x", "return: x"},
           Case{"re[open: x", "re[open: x"},
           Case{"=?utf-8?Q?Re=3A_x?=", "x"},
           Case{"\xC3\x89t\xC3\xA9", "\xC3\xA9t\xC3\xA9"},
           Case{"(fwd)", ""},
           Case{"", ""},
       }) {
    EXPECT_EQ(base_subject(c.subject), c.base) << c.subject;
  }
}

}  // namespace
}  // namespace lmtpd::mime
