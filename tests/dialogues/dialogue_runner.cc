// dialogue_runner SOCKET FILE…: plays dialogue files to the LMTP server at a unix socket; prints the first difference
// of each. Exit: 0 all as written, 1 differences, 2 usage. Options, stored and content lines are the caller's business.
#include <exception>
#include <iostream>
#include <string>

#include "tests/support/script_client.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: dialogue_runner SOCKET FILE...\n";
    return 2;
  }
  const std::string socket = argv[1];
  const test::ScriptClient client([&socket] { return test::connect_unix(socket); });
  int differences = 0;
  for (int i = 2; i < argc; ++i) {
    std::string difference;
    try {
      difference = client.play(test::Script::load(argv[i]));
    } catch (const std::exception& error) {
      difference = error.what();
    }
    std::cout << (difference.empty() ? std::string(argv[i]) + ": ok" : difference) << '\n';
    if (!difference.empty()) ++differences;
  }
  return differences == 0 ? 0 : 1;
}
