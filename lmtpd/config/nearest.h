// lmtpd/config/nearest.h: the candidate a mistyped word most likely meant. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lmtpd::config {

// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours each cost 1), the first among equals;
// empty when candidates is empty or every distance exceeds half of the word's length plus one.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lmtpd::config
