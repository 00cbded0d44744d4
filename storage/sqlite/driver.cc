#include "storage/sqlite/driver.h"

#include <stdexcept>
#include <utility>

#include "storage/sqlite/admin.h"
#include "storage/sqlite/catalog.h"
#include "storage/sqlite/connection.h"

namespace storage::sqlite {
namespace {

// SQLITE_MAX_LENGTH as Debian builds it limits a row; the packet's overhead is the usual 64 KiB.
constexpr std::uint64_t max_octets = 1'000'000'000 - (std::uint64_t{64} << 10);

class Driver : public storage::Driver {
 public:
  explicit Driver(Options options)
      : options_(std::move(options)), checkpointer_(std::make_shared<Checkpointer>(options_)) {}

  [[nodiscard]] Status connect(std::unique_ptr<storage::Connection>& out) override {
    return guarded([&] { out = std::make_unique<Connection>(options_, checkpointer_); });
  }

  // SQLite has one write lock.
  [[nodiscard]] int max_writers() const override { return 1; }

  [[nodiscard]] Status check_schema(SchemaReport& out) override {
    return guarded([&] {
      // Looking changes nothing: an empty file left behind by root would lock the daemon's user out.
      if (file_is_missing(options_)) return check_missing_file(options_, out);
      Session session(options_);
      sqlite::check_schema(session, out);
    });
  }

  [[nodiscard]] Status max_message_size(std::uint64_t& octets) override {
    octets = max_octets;
    return Status();
  }

  [[nodiscard]] Status open_admin(std::unique_ptr<storage::Admin>& out) override {
    return guarded([&] { out = std::make_unique<Admin>(options_); });
  }

 private:
  template <typename Work>
  static Status guarded(Work work) {
    try {
      work();
      return Status();
    } catch (...) {
      return translate(std::current_exception(), false).status;
    }
  }

  const Options options_;
  const std::shared_ptr<Checkpointer> checkpointer_;
};

}  // namespace

std::unique_ptr<storage::Driver> make_driver(const Options& options) {
  (void)database_path(options);
  if (options.sqlite_synchronous != "FULL" && options.sqlite_synchronous != "EXTRA") {
    throw std::invalid_argument(
        "storage.sqlite_synchronous must be FULL or EXTRA: anything less loses mail that was answered 250");
  }
  return std::make_unique<Driver>(options);
}

}  // namespace storage::sqlite
