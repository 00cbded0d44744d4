#include "lmtpd/mime/splitter.h"

#include <algorithm>

#include "lmtpd/mime/content_type.h"
#include "lmtpd/mime/header_reader.h"

namespace lmtpd::mime {
namespace {

constexpr std::size_t npos = std::string::npos;
constexpr int most_parts = 16000;  // partlists numbers are smallint on MySQL

std::size_t trailing_blanks(std::string_view text) {
  return text.size() - (text.find_last_not_of(" \t\r") + 1);
}

}  // namespace

Splitter::Splitter(const Options& options, TextBuffer& text, std::size_t first_line)
    : options_(options), text_(text), digest_(options.hash), first_line_(first_line), no_header_(npos) {
  open_header(0);
  certain_ = first_line;
}

void Splitter::line(const Line& line) {
  const std::string_view content = std::string_view(text_.text()).substr(line.start, line.end - line.start);
  Boundary boundary;
  if (!open_.empty() && content.starts_with("--") && find_boundary(content, boundary)) {
    boundary_line(line, boundary);
  } else if (state_ == State::header) {
    header_line(line);
  } else {
    certain_ = line.end;
  }
}

// RFC 2046 §5.1.1: the boundary, or the boundary and "--", then nothing but blanks. The innermost multipart comes
// first.
bool Splitter::find_boundary(std::string_view content, Boundary& found) const {
  const std::size_t blanks = trailing_blanks(content);  // once: a long line must not cost its length for each multipart
  for (std::size_t i = open_.size(); i-- > 0;) {
    std::string_view rest = content.substr(2);
    if (!rest.starts_with(open_[i].boundary)) continue;
    rest.remove_prefix(open_[i].boundary.size());
    const bool last = rest.starts_with("--");
    if (last) rest.remove_prefix(2);
    if (rest.size() > blanks) continue;
    found = {i, last};
    return true;
  }
  return false;
}

// The line break before a boundary belongs to the boundary (RFC 2046 §5.1.1).
void Splitter::boundary_line(Line line, const Boundary& boundary) {
  const std::string& text = text_.text();
  std::size_t end = line.start;
  if (state_ == State::body) {
    if (end >= start_ + 2 && text[end - 1] == '\n' && text[end - 2] == '\r') {
      line = text_.drop_cr_before(line);
      end = line.start;
    }
    end = end > start_ ? end - 1 : npos;
  }
  close_row(end);
  text_.keep_crlf(false);
  while (open_.size() > boundary.multipart + 1) leave_multipart();

  if (boundary.last) {
    leave_multipart();
    open_body(line.next);  // the epilogue
    return;
  }
  depth_ = open_.back().depth + 1;
  level_ = open_.back().level + 1;
  open_header(line.next);
}

void Splitter::leave_multipart() {
  const Multipart& multipart = open_.back();
  ++order_;  // never reset without a new key: (key, depth, order) is unique in the store
  depth_ = multipart.depth;
  level_ = multipart.level;
  open_.pop_back();
}

void Splitter::header_line(const Line& line) {
  if (line.start == line.end) {
    end_header(line);
    return;
  }
  certain_ = line.next;
  if (!at_top_ || no_header_ != npos) return;
  const std::string_view content = std::string_view(text_.text()).substr(line.start, line.end - line.start);
  const bool first = line.start == first_line_;
  const bool fold = !first && (content[0] == ' ' || content[0] == '\t');
  if (!fold && !begins_field(content) && !(first && content.starts_with("From "))) no_header_ = line.start;
}

void Splitter::end_header(const Line& blank) {
  const std::size_t start = start_;
  close_row(blank.start);
  if (at_top_) top_ = {blank.start, blank.next, true};
  at_top_ = false;
  if (!cutting_) return open_body(blank.next);

  PartDescription part = describe_part(std::string_view(text_.text()).substr(start, blank.start - start));
  const bool may_nest = level_ + 1 < options_.max_depth;
  if (may_nest && !part.type.boundary.empty()) {
    open_.push_back({std::move(part.type.boundary), depth_, level_});
    open_body(blank.next);  // the preamble
  } else if (may_nest && part.type.is_message() && !part.encoded) {
    ++level_;
    open_header(blank.next);
  } else {
    text_.keep_crlf(part.binary);
    open_body(blank.next);
  }
}

void Splitter::open_header(std::size_t start) {
  if (++count_ > std::min(options_.max_parts, most_parts)) return stop_cutting();
  state_ = State::header;
  ++key_;
  order_ = 0;
  start_ = hashed_ = certain_ = start;
}

void Splitter::open_body(std::size_t start) {
  state_ = State::body;
  start_ = hashed_ = certain_ = start;
}

// end: npos if the part has no body, not even an empty one.
void Splitter::close_row(std::size_t end) {
  if (end != npos) {
    digest_.update(std::string_view(text_.text()).substr(hashed_, end - hashed_));
    parts_.push_back({key_, depth_, order_++, state_ == State::header, {start_, end - start_}, digest_.hex()});
  } else if (hashed_ != start_) {
    digest_.restart();
  }
}

void Splitter::hash_so_far() {
  std::size_t certain = certain_;
  // A line that does not begin like a boundary is certain before its end, but for a CR that may belong to it.
  const std::size_t unfinished = text_.line_start();
  const std::string& text = text_.text();
  if (state_ == State::body && unfinished >= start_ && text.size() > unfinished + 2 && !text.ends_with('\r') &&
      (open_.empty() || text.compare(unfinished, 2, "--") != 0)) {
    certain = text.size();
  }
  if (certain <= hashed_) return;
  digest_.update(std::string_view(text).substr(hashed_, certain - hashed_));
  hashed_ = certain;
}

void Splitter::turning_verbatim() {
  const std::string& text = text_.text();
  const auto moved = [&text](std::size_t& offset) {
    if (offset != npos)
      offset +=
          static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  };
  moved(first_line_);
  moved(no_header_);
  moved(top_.end);
  moved(top_.body);
  stop_cutting();
}

// From now on the rest is one body, hashed from its begin once more.
void Splitter::stop_cutting() {
  cutting_ = false;
  text_.keep_crlf(false);
  open_.clear();
  parts_.clear();
  digest_.restart();
  key_ = 1;
  depth_ = order_ = 0;
  if (at_top_) {
    start_ = hashed_ = certain_ = 0;
  } else {
    parts_.push_back({1, 0, order_++, true, {0, top_.end}, {}});
    open_body(top_.body);
  }
}

void Splitter::finish() {
  const std::size_t end = text_.text().size();
  if (at_top_) {
    // Without a blank line, what is no header becomes the body rather than being lost among the header lines.
    top_.end = top_.body = no_header_ == npos ? end : no_header_;
    if (top_.end != end) {
      digest_.restart();
      hashed_ = 0;
      close_row(top_.end);
      open_body(top_.body);
    }
  }
  close_row(state_ == State::header || end > start_ ? end : npos);
}

}  // namespace lmtpd::mime
