// storage/schema/embedded_files.h: the text of schema/<engine>/*.sql as it was at build time. Defined in a source that
// CMake generates (cmake/EmbedSchema.cmake).
#pragma once

#include <span>
#include <string_view>

namespace storage::schema {

struct EmbeddedFile {
  std::string_view name;  // "postgresql/base.sql"
  std::string_view text;  // with {prefix} markers
};

[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

}  // namespace storage::schema
