// Whatever is taken as a path is clean, and says the same when it is read again.
#include "lmtpd/protocol/path.h"

#include <cstddef>
#include <cstdint>

#include "lmtpd/protocol/parameters.h"
#include "lmtpd/protocol/text.h"
#include "lmtpd/protocol/xforward.h"
#include "tests/fuzz/law.h"

using namespace lmtpd::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string_view rest = input;
  if (const auto path = take_path(rest)) {
    test::law(is_utf8(path->text) && !has_control(path->text), "a path is printable UTF-8");
    test::law(is_utf8(path->local) && is_utf8(path->domain), "its parts too");
    const std::string again = "<" + path->text + ">";
    std::string_view again_rest = again;
    test::law(take_path(again_rest) == path && again_rest.empty(), "a path's text is that path");
    (void)parse_parameters(rest);
  }
  Origin origin;
  if (!apply_xforward(input, origin)) test::law(origin == Origin(), "a bad attribute changes nothing");
  for (const std::string* value : {&origin.name, &origin.ident, &origin.helo}) {
    test::law(value->size() <= xforward_value_limit && is_utf8(*value) && !has_control(*value), "origins are clean");
  }
  return 0;
}
