// tests/contract/backends.h: the two ways to look behind a driver.
#pragma once

#include <memory>

#include "tests/contract/store_under_test.h"

namespace contract {

[[nodiscard]] std::unique_ptr<StoreUnderTest> memory_under_test();
[[nodiscard]] std::unique_ptr<StoreUnderTest> sql_under_test(Kind kind);

}  // namespace contract
