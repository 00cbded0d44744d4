// An answer, once given, stays the same whatever follows; and it is given within the limit.
#include "lmtpd/protocol/proxy_header.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/law.h"

using namespace lmtpd::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const ProxyHeader header = parse_proxy_header(input);
  test::law(header.consumed <= size, "no more is consumed than is there");
  test::law(header.peer.find_first_not_of("0123456789abcdef:.") == std::string::npos, "a peer is an address");
  test::law((header.kind == ProxyHeader::Kind::proxied) == !header.peer.empty(), "a proxied header has a peer");
  if (header.kind != ProxyHeader::Kind::need_more) {
    const ProxyHeader longer = parse_proxy_header(input + "LHLO x\r\n");
    test::law(longer.kind == header.kind && longer.consumed == header.consumed, "an answer stays");
  } else {
    const ProxyHeader full = parse_proxy_header(input + std::string(proxy_header_limit, 'x'));
    test::law(full.kind != ProxyHeader::Kind::need_more, "the answer comes within the limit");
  }
  return 0;
}
