# cmake -DOUTPUT=file.cc -DROOT=schema-folder "-DFILES=a.sql;b.sql" -P EmbedSchema.cmake
# Writes the table behind storage/schema/embedded_files.h: each file's path below ROOT and its text.
set(rows "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name ${ROOT} ${file})
  file(READ ${file} text)
  if(text MATCHES "\\)sql\"")
    message(FATAL_ERROR "${file}: the text ends its own raw string literal")
  endif()
  string(APPEND rows "    {\"${name}\", R\"sql(${text})sql\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from schema/*/*.sql by cmake/EmbedSchema.cmake. Do not edit.
#include \"storage/schema/embedded_files.h\"

namespace storage::schema {

std::span<const EmbeddedFile> embedded_files() {
  static constexpr EmbeddedFile files[] = {
${rows}  };
  return files;
}

}  // namespace storage::schema
")
