// tests/support/made_message.h: storage::Message values for tests of the rooms behind the door, without lmtpd/mime:
// rows are set as a test wants them, also such as no real mail would give. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/delivery.h"

namespace testing_support {

// Lower-case hex of SHA-1.
[[nodiscard]] std::string sha1_hex(std::string_view text);

class MadeMessage {
 public:
  // A header row, a body row and the headers From, Subject and Date; the body makes the content, so another body is
  // another message.
  explicit MadeMessage(std::string_view body = "Hello\n");

  MadeMessage& header(std::string name, std::string value);
  MadeMessage& date(std::string value, std::string day);  // with datefield
  MadeMessage& reference(std::string id);
  // One more part with these numbers.
  MadeMessage& part(int key, int depth, int order, bool is_header, std::string_view data);
  // The hash of the last part, whatever its data: collisions.
  MadeMessage& with_hash(std::string hash);
  MadeMessage& size(std::uint64_t octets);

  [[nodiscard]] storage::Message build() const { return message_; }

 private:
  void digest();

  storage::Message message_;
};

[[nodiscard]] storage::Delivery delivery_of(storage::Message message, std::vector<storage::Target> targets,
                                            std::string sender = "sender@example.org");

}  // namespace testing_support
