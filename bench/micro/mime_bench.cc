#include <benchmark/benchmark.h>

#include "bench/micro/samples.h"
#include "lmtpd/mime/decomposer.h"
#include "lmtpd/mime/header_text.h"

namespace {

using namespace lmtpd::mime;

void decompose(benchmark::State& state, const std::string& text) {
  const Options options;
  constexpr std::size_t chunk = 16384;
  for (auto _ : state) {
    Decomposer decomposer(options, "load@example.net", "2026-11-30 10:00:00");
    decomposer.expect(text.size());
    for (std::size_t at = 0; at < text.size(); at += chunk) decomposer.feed(std::string_view(text).substr(at, chunk));
    benchmark::DoNotOptimize(decomposer.finish());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(decompose, text_3_kb, bench::micro::text_message());
BENCHMARK_CAPTURE(decompose, multipart_30_kb, bench::micro::multipart_message());

void decode_header(benchmark::State& state, const std::string& raw) {
  initialise_gmime();
  for (auto _ : state) benchmark::DoNotOptimize(decode_for_cache(raw, Decoding::text));
}
BENCHMARK_CAPTURE(decode_header, plain, std::string("Minutes of the meeting on Tuesday"));
BENCHMARK_CAPTURE(
    decode_header, encoded_words,
    std::string("=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?= =?iso-8859-1?B?R3L832U=?=\r\n =?utf-8?B?w6TDtsO8?="));

}  // namespace
