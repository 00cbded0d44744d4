#include "lmtpd/protocol/dot_decoder.h"

#include <cstring>

namespace lmtpd::protocol {

// One call of decode(): a cursor over the input, and the start of the content that has not been handed out yet.
class DotDecoder::Run {
 public:
  Run(DotDecoder& decoder, std::string_view input, std::vector<std::string_view>& pieces)
      : decoder_(decoder), input_(input), pieces_(pieces) {}

  std::size_t run() {
    while (at_ < input_.size() && decoder_.state_ != State::finished) step();
    if (decoder_.state_ != State::dot && decoder_.state_ != State::dot_cr) flush(at_);
    return at_;
  }

 private:
  void step() {
    switch (decoder_.state_) {
      case State::line_start:
        return at_line_start();
      case State::in_line:
        return scan_line();
      case State::after_cr:
        return after_cr();
      case State::dot:
        return after_dot();
      case State::dot_cr:
        return after_dot_cr();
      case State::finished:
        return;
    }
  }

  // RFC 5321 §4.5.2: a dot that begins a line is either the end's or was added by the client; it is content in no case.
  void at_line_start() {
    if (input_[at_] != '.') {
      decoder_.doubled_cr_ = false;
      decoder_.state_ = State::in_line;
      return;
    }
    flush(at_);
    start_ = ++at_;
    decoder_.state_ = State::dot;
  }

  // To behind the next line end of any kind. Only LF is searched for; what stands before it tells which kind it is.
  void scan_line() {
    const char* const from = input_.data() + at_;
    const void* const found = std::memchr(from, '\n', input_.size() - at_);
    if (found == nullptr) {
      at_ = input_.size();
      if (input_.back() == '\r') enter_after_cr(at_ - 1);
      return;
    }
    const std::size_t line_feed = static_cast<std::size_t>(static_cast<const char*>(found) - input_.data());
    if (line_feed > at_ && input_[line_feed - 1] == '\r') {
      enter_after_cr(line_feed - 1);
      at_ = line_feed;
      after_cr();
    } else {
      at_ = line_feed + 1;  // a bare LF is content
    }
  }

  void enter_after_cr(std::size_t cr) {
    decoder_.before_cr_ = cr > 0 && input_[cr - 1] == '\r';
    decoder_.state_ = State::after_cr;
  }

  void after_cr() {
    const char c = input_[at_];
    if (c == '\n') {
      decoder_.doubled_cr_ = decoder_.before_cr_;
      decoder_.state_ = State::line_start;
      ++at_;
    } else if (c == '\r') {
      decoder_.before_cr_ = true;
      ++at_;
    } else {
      decoder_.state_ = State::in_line;
    }
  }

  void after_dot() {
    if (input_[at_] == '\r') {
      ++at_;
      decoder_.state_ = State::dot_cr;
    } else {
      decoder_.doubled_cr_ = false;
      decoder_.state_ = State::in_line;
    }
  }

  void after_dot_cr() {
    if (input_[at_] == '\n') {
      ++at_;
      decoder_.state_ = State::finished;
      start_ = at_;
      return;
    }
    // ". CR x": the CR was content after all. It may have come with an earlier input, so it is handed out from here.
    static constexpr std::string_view carriage_return = "\r";
    hand_out(carriage_return);
    start_ = at_;
    decoder_.doubled_cr_ = false;
    decoder_.before_cr_ = false;
    decoder_.state_ = State::after_cr;
  }

  void flush(std::size_t end) {
    if (end > start_) hand_out(input_.substr(start_, end - start_));
    start_ = end;
  }

  void hand_out(std::string_view content) {
    decoder_.octets_ += content.size();
    if (!decoder_.too_large()) pieces_.push_back(content);
  }

  DotDecoder& decoder_;
  const std::string_view input_;
  std::vector<std::string_view>& pieces_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
};

std::size_t DotDecoder::decode(std::string_view input, std::vector<std::string_view>& pieces) {
  return Run(*this, input, pieces).run();
}

}  // namespace lmtpd::protocol
