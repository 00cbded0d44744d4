#include "tests/support/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace testing_support {

ScratchFolder::ScratchFolder() : path_("/tmp/lmtpd-test-XXXXXX") {
  if (!::mkdtemp(path_.data())) throw std::runtime_error("cannot make a scratch folder");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace testing_support
