// tests/fuzz/law.h: a law that must hold for every input; a broken one ends the program, which is what libFuzzer looks
// for.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace test {

inline void law(bool holds, const char* text) {
  if (holds) return;
  std::fprintf(stderr, "broken law: %s\n", text);
  std::abort();
}

}  // namespace test
