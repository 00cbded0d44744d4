// bench/load/report.h: a LoadResult for people and for programs; and --verify.
#pragma once

#include <iosfwd>
#include <string>

#include "bench/load/runner.h"

namespace bench::load {

void print_text(const LoadResult& result, std::ostream& out);
void print_json(const LoadResult& result, std::ostream& out);

// Asks lmtpctl (path, with its configuration) for every recipient's INBOX and compares: each acknowledged message must be there exactly
// once. Prints one line per fault; returns the number of faults.
[[nodiscard]] std::uint64_t verify(const LoadResult& result, const std::string& lmtpctl, const std::string& config, std::ostream& out);

}  // namespace bench::load
