// lmtpd/mime/text_buffer.h: received octets → the text that rows are cut from, line by line. One owned buffer.
//
// LF form: CRLF is kept as LF (in binary parts as CRLF); a bare CR stays. That can be undone exactly as long as every
// LF came with one CR. At the first bare LF or CR CR LF the whole text goes back to the received form and stays in it:
// verbatim form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lmtpd::mime {

// A finished line of the text: content in [start, end), the next line begins at next. Without a line end (the last one)
// next == end.
struct Line {
  std::size_t start = 0;
  std::size_t end = 0;
  std::size_t next = 0;
};

class TextBuffer {
 public:
  // Told of every line, and before the form changes (offsets into the old text: each LF before an offset moves it by
  // one).
  class Reader {
   public:
    virtual void line(const Line& line) = 0;
    virtual void turning_verbatim() = 0;

   protected:
    ~Reader() = default;
  };

  void reserve(std::size_t octets) { text_.reserve(octets); }
  // The line in front of what is received, with its LF. Not reported.
  void begin(std::string_view line) {
    text_ = line;
    line_start_ = text_.size();
  }
  void append(std::string_view octets, Reader& reader);
  // The unfinished line, if any, is a line too.
  void finish(Reader& reader);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string&& take() { return std::move(text_); }
  [[nodiscard]] bool verbatim() const { return verbatim_; }
  [[nodiscard]] std::size_t line_start() const { return line_start_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t bare_lfs() const { return bare_lfs_; }

  // Whether the lines that follow keep their CRLF (binary parts). No effect in verbatim form.
  void keep_crlf(bool keep) { keep_crlf_ = keep; }

  // For a boundary line that ends a binary part: its line break becomes LF. Returns the line's new position.
  Line drop_cr_before(const Line& line);

 private:
  void end_line(Reader& reader);
  void turn_verbatim(Reader& reader);

  std::string text_;
  std::size_t line_start_ = 0;
  std::uint64_t lines_ = 0;     // LFs received
  std::uint64_t bare_lfs_ = 0;  // without CR
  bool verbatim_ = false;
  bool keep_crlf_ = false;
};

}  // namespace lmtpd::mime
