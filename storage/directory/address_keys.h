// storage/directory/address_keys.h: under which names an address is looked up, in which order, and when two spellings
// are the same name: case folded, domains as A- or U-labels. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/delivery.h"

namespace storage::directory {

// The order of look-ups is the order of this list (DECISIONS.md).
enum class StepKind : std::uint8_t {
  exact_alias,
  exact_userid,
  stripped_alias,
  stripped_userid,
  domain_catch_all,
  local_catch_all
};

struct Step {
  StepKind kind = StepKind::exact_alias;
  std::string name;               // canonical, to compare with
  std::vector<std::string> keys;  // the spellings to ask the store for: lower case, each domain form
  bool detail_applies = false;    // the address detail chooses the mailbox
};

struct AddressKeys {
  std::vector<Step> steps;
  std::string detail;  // behind the delimiter, as written; empty if none
};

// delimiters: see Options::detail_delimiters.
[[nodiscard]] AddressKeys address_keys(const Address& address, std::string_view delimiters);

[[nodiscard]] constexpr bool asks_users(StepKind kind) {
  return kind == StepKind::exact_userid || kind == StepKind::stripped_userid;
}
[[nodiscard]] std::string_view to_string(StepKind kind);

// One spelling for all equal names: "Info@BÜCHER.example" → "info@xn--bcher-kva.example". Also for "@domain",
// "@.parent", "local@".
[[nodiscard]] std::string canonical(std::string_view name);

// All spellings under which a name may stand in a column that is compared with lower().
[[nodiscard]] std::vector<std::string> spellings(std::string_view name);

// Unicode lower case; text that is no UTF-8 has only its ASCII letters lowered.
[[nodiscard]] std::string folded(std::string_view text);

}  // namespace storage::directory
