#include "lmtpd/protocol/line_splitter.h"

namespace lmtpd::protocol {

LineSplitter::Taken LineSplitter::take(std::string_view buffer) {
  const std::size_t end = buffer.find("\r\n");
  if (swallowing_) {
    if (end != std::string_view::npos) {
      swallowing_ = false;
      return Taken(Kind::too_long, {}, end + 2);
    }
    // A CR at the very end may be the first half of the CRLF.
    const bool half = !buffer.empty() && buffer.back() == '\r';
    return Taken(Kind::need_more, {}, buffer.size() - (half ? 1 : 0));
  }
  if (end != std::string_view::npos && end + 2 <= limit_) return Taken(Kind::line, buffer.substr(0, end), end + 2);
  if (end == std::string_view::npos && buffer.size() < limit_) return Taken(Kind::need_more, {}, 0);
  swallowing_ = true;
  return take(buffer);
}

}  // namespace lmtpd::protocol
