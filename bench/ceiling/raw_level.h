// bench/ceiling/raw_level.h: the daemon's rows without the daemon and without its driver.
#pragma once

#include "bench/ceiling/deliveries.h"
#include "bench/ceiling/report.h"

namespace bench::ceiling {

[[nodiscard]] Result run_raw_level(const Work& work);

}  // namespace bench::ceiling
