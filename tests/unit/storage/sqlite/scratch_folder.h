// tests/unit/storage/sqlite/scratch_folder.h: a temporary folder that goes with its object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "storage/options.h"

namespace storage::sqlite {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "lmtpd-sqlite.XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
    path_ = path;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path file() const { return path_ / "store.db"; }
  [[nodiscard]] Options options() const {
    Options options;
    options.uri = "sqlite://" + file().string();
    return options;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace storage::sqlite
