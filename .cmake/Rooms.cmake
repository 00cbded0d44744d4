# One CMake target per room. A room sees the repository root as its include path and links exactly the rooms it may use;
# tests/lint checks the same table against every #include.

add_library(lmtpd_flags INTERFACE)
target_include_directories(lmtpd_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(lmtpd_flags INTERFACE LMTPD_VERSION="${PROJECT_VERSION}")
target_compile_options(lmtpd_flags INTERFACE
  -Wall -Wextra -Wconversion $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow> -Wnon-virtual-dtor -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A false alarm of GCC 12 at -O2: Asio's coroutine frames have an operator new and delete of their own.
  target_compile_options(lmtpd_flags INTERFACE $<$<CONFIG:Release,RelWithDebInfo>:-Wno-mismatched-new-delete>)
endif()
if(LMTPD_SANITIZE)
  target_compile_options(lmtpd_flags INTERFACE -fsanitize=${LMTPD_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(lmtpd_flags INTERFACE -fsanitize=${LMTPD_SANITIZE})
  if(LMTPD_SANITIZE MATCHES "thread")
    target_compile_options(lmtpd_flags INTERFACE -Wno-tsan)
  endif()
endif()

if(LMTPD_FUZZ)
  target_compile_options(lmtpd_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# lmtpd_room(NAME SOURCES a.cc b.cc LINK other_room Lib::lib)
function(lmtpd_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT name MATCHES "^test_")
    set_property(GLOBAL APPEND PROPERTY LMTPD_ROOMS ${name})
  endif()
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC lmtpd_flags ${ARG_LINK})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE lmtpd_flags ${ARG_LINK})
  endif()
endfunction()

# lmtpd_test(NAME LABEL label [SERVERS] SOURCES … LINK …): a GoogleTest program; every case becomes a CTest case with that label.
# SERVERS: the cases need the real database servers of tests/support/servers.
function(lmtpd_test name)
  cmake_parse_arguments(ARG "SERVERS" "LABEL;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)  # ends what hangs; no slow machine reaches it
  endif()
  set(fixtures)
  if(ARG_SERVERS)
    set(fixtures FIXTURES_REQUIRED servers)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 300
    PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT} ${fixtures})
endfunction()
