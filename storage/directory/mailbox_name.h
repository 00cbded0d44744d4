// storage/directory/mailbox_name.h: which address details may name a mailbox. Details come from strangers. Pure, any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace storage::directory {

// The names under which a mailbox may be looked for: the detail as written, and in modified UTF-7 (RFC 3501 §5.1.3)
// when it is not ASCII, as DBMail's readers store it. Slashes at both ends are dropped. Empty: the detail names no
// mailbox (empty, longer than 254 octets, a control character, '%' or '*', a namespace '#', no valid UTF-8).
[[nodiscard]] std::vector<std::string> mailbox_names(std::string_view detail);

// Equal but for the case of ASCII letters; modified UTF-7 runs are base64 and must be the same.
[[nodiscard]] bool same_mailbox(std::string_view a, std::string_view b);

// May a mailbox of this name be created for a stranger's detail? One level only, and DBMail's character set.
[[nodiscard]] bool creatable(std::string_view name);

}  // namespace storage::directory
