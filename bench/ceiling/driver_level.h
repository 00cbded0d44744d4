// bench/ceiling/driver_level.h: the daemon's driver without the daemon: storage::Connection::store on prepared batches.
#pragma once

#include "bench/ceiling/deliveries.h"
#include "bench/ceiling/report.h"

namespace bench::ceiling {

// Throws std::runtime_error when the store refuses anything.
[[nodiscard]] Result run_driver_level(const Work& work);

}  // namespace bench::ceiling
