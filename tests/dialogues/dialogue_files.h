// tests/dialogues/dialogue_files.h: what the runners of the dialogue files share: which files there are, the
// configuration that a file asks for, and the comparison of the mailboxes afterwards.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/script.h"

namespace test {

// Absolute paths, sorted.
[[nodiscard]] std::vector<std::string> dialogue_files();
// A test name for a file.
[[nodiscard]] std::string dialogue_name(const ::testing::TestParamInfo<std::string>& tested);

// lmtpd.toml for the script's options.
[[nodiscard]] std::string configuration(const Script& script, const std::string& storage_uri,
                                        const std::string& listen);

// Fails the test unless every user of the world holds what the script says; messages: a user's address → octets in UID
// order.
void expect_stored(const Script& script, const std::function<std::vector<std::string>(const std::string&)>& messages);

}  // namespace test
