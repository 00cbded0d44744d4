#include "storage/reassembly.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace storage {
namespace {

constexpr std::size_t reader_boundary_limit = 127;  // readers cut longer boundaries

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool starts_with_nocase(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() && std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(),
                                                          [](char a, char b) { return a == lower(b); });
}

// What the readers see of a header blob's Content-Type: they insist on "Content-Type", colon, one blank, at the start
// of a line.
std::optional<std::string_view> content_type_of(std::string_view header) {
  constexpr std::string_view name = "content-type: ";
  for (std::size_t line = 0; line < header.size();) {
    if (starts_with_nocase(header.substr(line), name)) {
      std::size_t end = line + name.size();
      while ((end = header.find('\n', end)) != std::string_view::npos && end + 1 < header.size() &&
             (header[end + 1] == ' ' || header[end + 1] == '\t')) {
        end += 2;
      }
      return header.substr(line + name.size(), end == std::string_view::npos ? end : end - line - name.size());
    }
    const std::size_t next = header.find('\n', line);
    if (next == std::string_view::npos) break;
    line = next + 1;
  }
  return std::nullopt;
}

// The value after "boundary", white space, "=", white space; nothing if it is empty or an unfinished quoted string.
std::optional<std::string_view> boundary_value(std::string_view text) {
  std::size_t at = 0;
  const auto skip_space = [&] {
    while (at < text.size() && is_space(text[at])) ++at;
  };
  skip_space();
  if (at == text.size() || text[at] != '=') return std::nullopt;
  ++at;
  skip_space();
  if (at == text.size()) return std::nullopt;
  if (text[at] == '"') {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) return std::nullopt;
    return text.substr(at + 1, end - at - 1);
  }
  std::size_t end = at;
  while (end < text.size() && !is_space(text[end]) && text[end] != ';' && text[end] != '"') ++end;
  if (end == at) return std::nullopt;
  return text.substr(at, end - at);
}

std::optional<std::string_view> boundary_of(std::string_view content_type) {
  constexpr std::string_view name = "boundary";
  for (std::size_t at = 0; at + name.size() <= content_type.size(); ++at) {
    if (!starts_with_nocase(content_type.substr(at), name)) continue;
    if (const auto value = boundary_value(content_type.substr(at + name.size()))) {
      return value->substr(0, reader_boundary_limit);
    }
  }
  return std::nullopt;
}

bool is_rfc822(std::string_view content_type) {
  while (!content_type.empty() && is_space(content_type.front())) content_type.remove_prefix(1);
  return starts_with_nocase(content_type, "message/rfc822");
}

// DBMail's readers, as schema/README.md describes them, writing to a sink: bool sink(std::string_view), false stops.
template <typename Sink>
class Reader {
 public:
  explicit Reader(Sink sink) : sink_(std::move(sink)) {}

  bool read(std::span<const PartView> rows) {
    for (const PartView& row : rows) {
      if (!leave_levels(row.depth)) return false;
      if (!(row.is_header ? header(row) : sink_(row.data))) return false;
      previous_is_header_ = row.is_header;
      first_ = false;
    }
    const auto top = boundaries_.find(0);
    return rows.size() <= 2 || top == boundaries_.end() || end_line(top->second);
  }

 private:
  bool leave_levels(std::int32_t depth) {
    while (!boundaries_.empty() && depth_ > depth) {
      auto deepest = boundaries_.lower_bound(depth_);
      if (deepest == boundaries_.begin()) break;
      --deepest;
      if (deepest->first < depth) break;
      depth_ = deepest->first;
      if (!end_line(deepest->second)) return false;
      boundaries_.erase(deepest);
    }
    depth_ = depth;
    return true;
  }

  bool header(const PartView& row) {
    const bool inside_message = inside_message_;
    std::optional<std::string_view> boundary;
    if (const auto type = content_type_of(row.data)) {
      inside_message_ = is_rfc822(*type);
      boundary = boundary_of(*type);
    }
    if (!first_ && !separator(row.depth, inside_message)) return false;
    if (!sink_(row.data) || !sink_("\n")) return false;
    if (boundary) boundaries_[row.depth] = *(last_ = boundary);
    previous_had_boundary_ = boundary.has_value();
    return true;
  }

  bool separator(std::int32_t depth, bool inside_message) {
    const auto parent = boundaries_.find(depth - 1);
    const std::optional<std::string_view> boundary = parent == boundaries_.end() ? last_ : parent->second;
    if (!boundary) return true;
    if (previous_is_header_ && depth > 0 && !inside_message) return start_line(*boundary);
    if (!previous_is_header_ || previous_had_boundary_) return sink_("\n") && start_line(*boundary);
    return true;
  }

  bool start_line(std::string_view boundary) { return sink_("--") && sink_(boundary) && sink_("\n"); }
  bool end_line(std::string_view boundary) { return sink_("\n--") && sink_(boundary) && sink_("--\n"); }

  Sink sink_;
  std::map<std::int32_t, std::string_view> boundaries_;  // depth → boundary that its header announced
  std::optional<std::string_view> last_;
  std::int32_t depth_ = 0;
  bool first_ = true;
  bool previous_is_header_ = false;
  bool previous_had_boundary_ = false;
  bool inside_message_ = false;  // the last Content-Type was message/rfc822
};

std::string reassemble_whole(std::span<const PartView> rows) {
  std::string text;
  Reader reader([&text](std::string_view piece) { return text.append(piece), true; });
  (void)reader.read(rows);
  return text;
}

bool is_bare(std::string_view text, std::size_t lf) {
  return lf == 0 || text[lf - 1] != '\r';
}

std::uint64_t crlf_size(std::string_view text) {
  std::uint64_t size = text.size();
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    size += is_bare(text, at);
  }
  return size;
}

std::string to_crlf(std::string_view text) {
  std::string out;
  out.reserve(crlf_size(text));
  std::size_t from = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    if (!is_bare(text, at)) continue;
    out.append(text.substr(from, at - from)).append("\r\n");
    from = at + 1;
  }
  return out.append(text.substr(from));
}

std::size_t first_line_size(std::string_view header) {
  return std::min(header.find('\n'), header.size() - 1) + 1;
}

// The first field with its folds: DBMail writes long Return-Paths folded, we never do.
std::size_t first_field_size(std::string_view header) {
  std::size_t end = first_line_size(header);
  while (end < header.size() && (header[end] == ' ' || header[end] == '\t')) end += first_line_size(header.substr(end));
  return end;
}

// Rows with their line ends kept; what the size has left over is the blank line.
std::string export_verbatim(std::string_view header, std::string_view body, std::uint64_t octets) {
  const std::uint64_t known = header.size() + body.size();
  const std::string_view blank = octets == known ? "" : octets == known + 1 ? "\n" : "\r\n";
  return std::string(header).append(blank).append(body);
}

}  // namespace

std::string reassemble(std::span<const PartView> rows) {
  std::vector<PartView> seen(rows.begin(), rows.end());
  for (PartView& row : seen) row.data = row.data.substr(0, row.data.find('\0'));  // readers copy C strings
  return reassemble_whole(seen);
}

bool reassembles_to(std::span<const PartView> rows, std::string_view text) {
  std::size_t at = 0;
  Reader reader([&](std::string_view piece) {
    const std::string_view there = text.substr(at, piece.size());
    at += there.size();
    return piece.data() == there.data() ? piece.size() == there.size() : piece == there;
  });
  return reader.read(rows) && at == text.size() && text.find('\0') == std::string_view::npos;
}

std::string export_message(std::span<const PartView> rows, std::uint64_t message_size) {
  if (rows.empty() || rows[0].data.empty()) return {};
  const std::string_view header = rows[0].data;
  const std::string_view body = rows.size() > 1 ? rows[1].data : std::string_view();
  const std::size_t return_path = first_line_size(header);
  const bool plain = rows.size() == 1 || (rows.size() == 2 && !rows[1].is_header);
  if (plain && header.substr(0, return_path).ends_with("\r\n")) {
    return export_verbatim(header, body, message_size + return_path);
  }
  const std::string text = reassemble_whole(rows);
  if (!plain) return to_crlf(text);
  if (message_size == 1 && body.empty() && return_path == header.size()) return to_crlf(header);
  const std::string unseparated = std::string(header).append(body);  // no blank line was received
  for (const std::size_t size : {return_path, first_field_size(header)}) {
    const std::uint64_t octets = message_size + crlf_size(header.substr(0, size));
    if (crlf_size(text) == octets) break;
    if (crlf_size(unseparated) == octets) return to_crlf(unseparated);
  }
  return to_crlf(text);
}

}  // namespace storage
