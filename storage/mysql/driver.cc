#include "storage/mysql/driver.h"

#include <cppconn/exception.h>

#include <exception>
#include <utility>

#include "storage/mysql/admin.h"
#include "storage/mysql/catalog.h"
#include "storage/mysql/connection.h"
#include "storage/mysql/errors.h"
#include "storage/mysql/session.h"

namespace storage::mysql {
namespace {

constexpr std::uint64_t packet_reserve = 64 * 1024;

int error_code(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const sql::SQLException& e) {
    return e.getErrorCode();
  } catch (...) {
    return 0;
  }
}

// Runs work; what it throws is told as a fault of connecting.
template <typename Work>
Status connecting(Work work) {
  try {
    work();
    return {};
  } catch (...) {
    const auto error = std::current_exception();
    Failure failure = at_connect(translate(error), error_code(error));
    return {failure.reason, std::move(failure.detail)};
  }
}

}  // namespace

Driver::Driver(const Options& options) : options_(options), endpoint_(parse_endpoint(options)) {}

Status Driver::connect(std::unique_ptr<storage::Connection>& out) {
  return connecting([&] { out = std::make_unique<Connection>(endpoint_, options_); });
}

Status Driver::check_schema(SchemaReport& out) {
  return connecting([&] {
    Session session(endpoint_, options_);
    out = check_catalog(session);
  });
}

Status Driver::max_message_size(std::uint64_t& octets) {
  return connecting([&] {
    const Session session(endpoint_, options_);
    const std::uint64_t packet = session.server().max_allowed_packet;
    octets = packet > packet_reserve ? packet - packet_reserve : 0;
  });
}

Status Driver::open_admin(std::unique_ptr<storage::Admin>& out) {
  return connecting([&] { out = std::make_unique<Admin>(endpoint_, options_); });
}

std::unique_ptr<storage::Driver> make_driver(const Options& options) {
  return std::make_unique<Driver>(options);
}

}  // namespace storage::mysql
