// storage/registry.h: the only place that names all engines. An explicit table, no self-registration.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/driver.h"

namespace storage {

// Schemes that this build knows: "sqlite", "postgresql", "mysql".
[[nodiscard]] std::vector<std::string> engines();

// The driver for options.uri. Throws std::invalid_argument with a sentence that names the fault and the remedy: unknown scheme
// (with the nearest known one), malformed URI, unknown URI parameter, bad table prefix.
[[nodiscard]] std::unique_ptr<Driver> make_driver(const Options& options);

}  // namespace storage
