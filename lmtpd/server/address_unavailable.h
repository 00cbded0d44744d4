// lmtpd/server/address_unavailable.h: the fault of a listening address that passes by itself. Start-up code.
#pragma once

#include <stdexcept>

namespace lmtpd::server {

// Another process listens at the address, or no interface has it (yet): the same start may succeed later, unlike with every other fault of
// a listener. One sentence for the operator, beginning with the key.
class AddressUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lmtpd::server
