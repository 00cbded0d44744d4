#include "storage/postgresql/driver.h"

#include "storage/postgresql/admin.h"
#include "storage/postgresql/catalog.h"
#include "storage/postgresql/connection.h"
#include "storage/postgresql/conninfo.h"

namespace storage::postgresql {
namespace {

// A bytea value, a parameter and an array of them are limited to 1 GiB - 1 octet each (MaxAllocSize), and a row is
// formed in memory beside its parameter. Half of it leaves room for the rest of the batch; the packet's overhead is the
// usual 64 KiB.
constexpr std::uint64_t max_octets = (std::uint64_t{1} << 29) - (std::uint64_t{64} << 10);

class Driver : public storage::Driver {
 public:
  explicit Driver(Options options) : options_(std::move(options)) {}

  [[nodiscard]] Status connect(std::unique_ptr<storage::Connection>& out) override {
    return guarded([&] { out = std::make_unique<Connection>(options_); });
  }

  [[nodiscard]] int max_writers() const override { return 64; }

  [[nodiscard]] Status check_schema(SchemaReport& out) override {
    return guarded([&] {
      Session session(options_);
      postgresql::check_schema(session, out);
    });
  }

  [[nodiscard]] Status max_message_size(std::uint64_t& octets) override {
    octets = max_octets;
    return {};
  }

  [[nodiscard]] Status open_admin(std::unique_ptr<storage::Admin>& out) override {
    return guarded([&] { out = make_admin(options_); });
  }

 private:
  template <typename Step>
  static Status guarded(Step&& step) {
    try {
      step();
      return {};
    } catch (...) {
      return translate(std::current_exception(), false).status;
    }
  }

  const Options options_;
};

}  // namespace

std::unique_ptr<storage::Driver> make_driver(const Options& options) {
  [[maybe_unused]] const std::string checked = conninfo(options);
  return std::make_unique<Driver>(options);
}

}  // namespace storage::postgresql
