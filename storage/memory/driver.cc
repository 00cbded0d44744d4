#include "storage/memory/driver.h"

#include <limits>

#include "storage/memory/admin.h"
#include "storage/memory/connection.h"

namespace storage::memory {

Status Driver::connect(std::unique_ptr<storage::Connection>& out) {
  out = std::make_unique<Connection>(store_, options_);
  return Status();
}

Status Driver::check_schema(SchemaReport& out) {
  out = SchemaReport();
  out.server = "memory";
  return Status();
}

Status Driver::max_message_size(std::uint64_t& octets) {
  octets = std::numeric_limits<std::uint64_t>::max();
  return Status();
}

Status Driver::open_admin(std::unique_ptr<storage::Admin>& out) {
  out = std::make_unique<Admin>(store_, options_);
  return Status();
}

}  // namespace storage::memory
