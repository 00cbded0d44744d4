// lmtpd/mime/layout.h: decides how a message is stored. The part layout if DBMail's readers reassemble it to exactly
// the received text; else two rows, header and rest, which reproduce the text whenever any layout can.
#pragma once

#include <vector>

#include "lmtpd/mime/options.h"
#include "lmtpd/mime/splitter.h"
#include "storage/message.h"

namespace lmtpd::mime {

// message.text holds the text; parts are the splitter's, top its header. Fills message.parts (hashes included) and
// facts.two_rows.
void choose_layout(std::vector<storage::Part> parts, const TopHeader& top, const Options& options,
                   storage::Message& message);

}  // namespace lmtpd::mime
