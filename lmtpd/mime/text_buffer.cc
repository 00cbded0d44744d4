#include "lmtpd/mime/text_buffer.h"

#include <algorithm>

namespace lmtpd::mime {
namespace {

// Every LF without CR becomes CRLF, in place from the end.
void expand(std::string& text) {
  std::size_t extra = 0;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    extra += at == 0 || text[at - 1] != '\r';
  }
  std::size_t from = text.size();
  text.resize(text.size() + extra);
  for (std::size_t to = text.size(); to != from;) {
    const char c = text[--from];
    text[--to] = c;
    if (c == '\n' && (from == 0 || text[from - 1] != '\r')) text[--to] = '\r';
  }
}

}  // namespace

void TextBuffer::append(std::string_view octets, Reader& reader) {
  while (!octets.empty()) {
    const std::size_t lf = octets.find('\n');
    text_.append(octets.substr(0, lf));
    if (lf == std::string_view::npos) return;
    end_line(reader);
    octets.remove_prefix(lf + 1);
  }
}

// The text ends with a line whose LF has just been received.
void TextBuffer::end_line(Reader& reader) {
  ++lines_;
  const std::size_t size = text_.size() - line_start_;
  const bool cr = size >= 1 && text_.back() == '\r';
  if (!cr) ++bare_lfs_;
  const bool irregular = !cr || (size >= 2 && text_[text_.size() - 2] == '\r');
  if (irregular && !verbatim_) turn_verbatim(reader);

  Line line{line_start_, text_.size() - cr, 0};
  if (cr && !verbatim_ && !keep_crlf_) text_.pop_back();
  text_.push_back('\n');
  line.next = line_start_ = text_.size();
  reader.line(line);
}

void TextBuffer::turn_verbatim(Reader& reader) {
  reader.turning_verbatim();
  const std::size_t unfinished = text_.size() - line_start_;
  expand(text_);
  line_start_ = text_.size() - unfinished;
  verbatim_ = true;
}

void TextBuffer::finish(Reader& reader) {
  if (line_start_ == text_.size()) return;
  const Line line{line_start_, text_.size(), text_.size()};
  line_start_ = text_.size();
  reader.line(line);
}

Line TextBuffer::drop_cr_before(const Line& line) {
  text_.erase(line.start - 2, 1);
  line_start_ = line.next - 1;
  return {line.start - 1, line.end - 1, line.next - 1};
}

}  // namespace lmtpd::mime
