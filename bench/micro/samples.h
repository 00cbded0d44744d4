// bench/micro/samples.h: the messages that the micro-benchmarks work on; the same in every run.
#pragma once

#include <string>

#include "bench/load/message_source.h"

namespace bench::micro {

// Plain text of 3 KB, as lmtp-load's.
inline std::string text_message() {
  load::MessageMix mix;
  mix.html_share = 0;
  mix.attachment_share = 0;
  return load::MessageSource(1, mix).next("sample-1", "user@example.org");
}

// 30 KB: text and a base64 attachment.
inline std::string multipart_message() {
  load::MessageMix mix;
  mix.min_octets = mix.max_octets = 30000;
  mix.html_share = 0;
  mix.attachment_share = 1;
  return load::MessageSource(2, mix).next("sample-2", "user@example.org");
}

}  // namespace bench::micro
