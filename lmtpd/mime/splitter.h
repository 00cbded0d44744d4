// lmtpd/mime/splitter.h: lines → parts, numbered as partlists wants them, hashed as they pass. Iterative: nesting costs
// a stack entry, never a stack frame.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lmtpd/mime/digest.h"
#include "lmtpd/mime/options.h"
#include "lmtpd/mime/text_buffer.h"
#include "storage/message.h"

namespace lmtpd::mime {

// Where the top-level header ends.
struct TopHeader {
  std::size_t end = 0;     // of the header block
  std::size_t body = 0;    // begin of the body; end and body differ by the blank line, if there was one
  bool separated = false;  // a blank line was there
};

class Splitter final : public TextBuffer::Reader {
 public:
  // The top-level header block begins at offset 0 of text with the Return-Path line, which ends at first_line.
  Splitter(const Options& options, TextBuffer& text, std::size_t first_line);

  // TextBuffer::Reader
  void line(const Line& line) override;
  void turning_verbatim() override;

  // Hashes what cannot change any more. Called between chunks, so that no hash is made at once at the end.
  void hash_so_far();

  // After the last line: closes what is open.
  void finish();

  // After finish(). In reading order if the text was cut at all.
  [[nodiscard]] const TopHeader& top() const { return top_; }
  [[nodiscard]] std::vector<storage::Part>& parts() { return parts_; }

 private:
  enum class State { header, body };
  struct Multipart {
    std::string boundary;
    std::int32_t depth = 0;  // of its own rows; those of its children are one deeper
    int level = 0;           // containers around it
  };
  struct Boundary {
    std::size_t multipart = 0;  // index in open_
    bool last = false;          // "--boundary--"
  };

  bool find_boundary(std::string_view content, Boundary& found) const;
  void boundary_line(Line line, const Boundary& boundary);
  void header_line(const Line& line);
  void end_header(const Line& blank);
  void leave_multipart();
  void open_header(std::size_t start);
  void open_body(std::size_t start);
  void close_row(std::size_t end);
  void stop_cutting();

  const Options& options_;
  TextBuffer& text_;
  Digest digest_;

  State state_ = State::header;
  bool at_top_ = true;    // in the top-level header block
  bool cutting_ = true;   // false: everything after the top-level header is one body
  int level_ = 0;         // containers around the open row
  int count_ = 0;         // header rows
  std::int32_t key_ = 0;  // partlists numbering: schema/README.md
  std::int32_t depth_ = 0;
  std::int32_t order_ = 0;
  std::size_t start_ = 0;    // of the open row
  std::size_t hashed_ = 0;   // the open row is hashed up to here
  std::size_t certain_ = 0;  // and belongs to it at least up to here
  std::size_t first_line_;   // of the received header
  std::size_t no_header_;    // the first line that is no header field; npos: none so far
  TopHeader top_;
  std::vector<Multipart> open_;
  std::vector<storage::Part> parts_;
};

}  // namespace lmtpd::mime
