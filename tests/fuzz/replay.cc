// Runs a fuzz entry point over the files of the folders given, and over every cut of each file. Exit 1 if there is no
// file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> octets{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      for (std::size_t cut = 0; cut <= octets.size(); ++cut) {
        const std::vector<std::uint8_t> input(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(cut));
        LLVMFuzzerTestOneInput(input.data(), input.size());
      }
      ++files;
    }
  }
  std::printf("%zu files\n", files);
  return files > 0 ? 0 : 1;
}
