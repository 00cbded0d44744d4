#include <benchmark/benchmark.h>

#include <array>
#include <string_view>
#include <vector>

#include "bench/micro/samples.h"
#include "lmtpd/protocol/command.h"
#include "lmtpd/protocol/dot_decoder.h"

namespace {

using namespace lmtpd::protocol;

// One envelope as Postfix sends it.
void parse_envelope(benchmark::State& state) {
  constexpr std::array<std::string_view, 3> lines = {"MAIL FROM:<load@example.net> SIZE=3000 BODY=8BITMIME",
                                                     "RCPT TO:<user@example.org> ORCPT=rfc822;user@example.org",
                                                     "DATA"};
  for (auto _ : state) {
    for (const std::string_view line : lines) benchmark::DoNotOptimize(parse_command(line));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(lines.size()));
}
BENCHMARK(parse_envelope);

// Chunks as a socket gives them; every tenth line begins with a dot.
void decode_dots(benchmark::State& state) {
  std::string wire;
  for (int line = 0; line < 400; ++line) wire += (line % 10 == 0 ? ".." : "ab") + std::string(70, 'x') + "\r\n";
  wire += ".\r\n";
  constexpr std::size_t chunk = 16384;
  std::vector<std::string_view> pieces;
  for (auto _ : state) {
    DotDecoder decoder(1 << 30);
    for (std::size_t at = 0; at < wire.size(); at += chunk) {
      pieces.clear();
      decoder.decode(std::string_view(wire).substr(at, chunk), pieces);
    }
    if (!decoder.finished()) state.SkipWithError("the end was not found");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(wire.size()));
}
BENCHMARK(decode_dots);

}  // namespace
