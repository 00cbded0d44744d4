// lmtpd/mime/header_cache.h: the top-level header block → rows of the header cache, references, envelope. What cannot
// be decoded is left out or shortened; nothing here ever refuses a message.
#pragma once

#include <string_view>

#include "lmtpd/mime/options.h"
#include "storage/message.h"

namespace lmtpd::mime {

// block: the received header (without our Return-Path line), LF or CRLF. Fills headers, references, envelope, and of
// the facts received_headers and message_id. REQUIRES message.internal_date.
void read_headers(std::string_view block, std::string_view sender, const Options& options, storage::Message& message);

}  // namespace lmtpd::mime
