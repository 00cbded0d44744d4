#include <iostream>

#include "lmtpd/ctl/commands.h"

int main(int argc, char** argv) { return lmtpd::ctl::run(argc, argv, std::cin, std::cout, std::cerr); }
