# The test fixture "servers" (see the script servers): private PostgreSQL and MariaDB servers, started before the first test that
# requires them (lmtpd_test(… SERVERS)) and ended after the last.
set(servers_dir ${CMAKE_CURRENT_BINARY_DIR}/servers.d)
foreach(step start stop)
  add_test(NAME servers.${step} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/servers ${step} ${servers_dir})
  set_tests_properties(servers.${step} PROPERTIES LABELS fixture TIMEOUT 120)
endforeach()
set_tests_properties(servers.start PROPERTIES FIXTURES_SETUP servers)
set_tests_properties(servers.stop PROPERTIES FIXTURES_CLEANUP servers)

lmtpd_room(test_servers SOURCES server_uri.cc LINK storage_api)
target_compile_definitions(test_servers PRIVATE LMTPD_TEST_SERVERS_ENV="${servers_dir}/env")

add_test(NAME servers.leave_nothing_behind COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/servers_test.sh)
set_tests_properties(servers.leave_nothing_behind PROPERTIES LABELS contract TIMEOUT 120)
