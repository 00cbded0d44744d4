// tests/contract/engines.h: the engines that contract tests run on, as GoogleTest parameters.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/sql_client.h"

namespace testing_support {

inline constexpr Engine all_engines[] = {Engine::sqlite, Engine::postgresql, Engine::mysql};

inline std::string engine_name(const ::testing::TestParamInfo<Engine>& parameter) {
  return to_string(parameter.param);
}

}  // namespace testing_support
