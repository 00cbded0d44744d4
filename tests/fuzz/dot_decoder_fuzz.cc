// The chunking never matters, and only CRLF . CRLF ends the data. The first octet chooses the size of the pieces.
#include "lmtpd/protocol/dot_decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/law.h"

using lmtpd::protocol::DotDecoder;

namespace {

struct Decoded {
  std::string content;
  std::size_t consumed = 0;
  bool finished = false;
  bool doubtful = false;
};

Decoded decode(std::string_view stream, std::size_t step) {
  DotDecoder decoder(UINT64_MAX);
  Decoded result;
  while (result.consumed < stream.size() && !decoder.finished()) {
    const std::string piece(stream.substr(result.consumed, step));
    std::vector<std::string_view> views;
    result.consumed += decoder.decode(piece, views);
    for (const std::string_view view : views) result.content += view;
  }
  test::law(result.content.size() == decoder.octets(), "what is handed out is counted");
  result.finished = decoder.finished();
  result.doubtful = decoder.doubtful_end();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Decoded whole = decode(stream, std::max<std::size_t>(stream.size(), 1));
  const Decoded cut = decode(stream, data[0] % 16 + 1u);
  test::law(whole.content == cut.content && whole.consumed == cut.consumed, "the chunking never matters");
  test::law(whole.finished == cut.finished && whole.doubtful == cut.doubtful, "the chunking never matters");
  // RFC 5321 §4.1.1.4: the end of DATA's own line counts as the first CRLF.
  const std::size_t end = ("\r\n" + std::string(stream)).find("\r\n.\r\n");
  test::law(whole.finished == (end != std::string::npos), "only CRLF . CRLF ends the data");
  test::law(!whole.finished || whole.consumed == end + 3, "nothing behind the end is consumed");
  return 0;
}
