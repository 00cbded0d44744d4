# Label mysql9: the contract suite and the engine's own tests once more, on a real MySQL 9 instead of MariaDB (tests/support/mysql9). Not
# part of a plain ./check: the first run fetches a Debian root (about a minute, 1.7 GB) and needs root and debootstrap. The root stays in
# MYSQL9_BASE (environment, read by cmake), by default in the build folder.
if(NOT LMTPD_WITH_MYSQL)
  return()
endif()
set(mysql9_base $ENV{MYSQL9_BASE})
if(NOT mysql9_base)
  set(mysql9_base ${CMAKE_BINARY_DIR}/mysql9)
endif()
set(mysql9_dir ${CMAKE_CURRENT_SOURCE_DIR}/mysql9)
add_test(NAME mysql9.start COMMAND bash -c "\"$1/recipe.sh\" && \"$1/start.sh\"" mysql9.start ${mysql9_dir})
add_test(NAME mysql9.stop COMMAND bash ${mysql9_dir}/stop.sh)
set_tests_properties(mysql9.start PROPERTIES FIXTURES_SETUP mysql9 TIMEOUT 900)
set_tests_properties(mysql9.stop PROPERTIES FIXTURES_CLEANUP mysql9 TIMEOUT 150)
set(mysql9_tests mysql9.contract mysql9.schema mysql9.engine)
add_test(NAME mysql9.contract COMMAND storage_contract_test "--gtest_filter=*/mysql")
add_test(NAME mysql9.schema COMMAND schema_test "--gtest_filter=*/mysql*")
add_test(NAME mysql9.engine COMMAND mysql_engine_test)
set_tests_properties(${mysql9_tests} PROPERTIES FIXTURES_REQUIRED mysql9 TIMEOUT 900 ENVIRONMENT
  "LMTPD_TEST_MYSQL_URI=mysql://root@localhost/t?socket=${mysql9_base}/run/mysqld.sock;LMTPD_TEST_MYSQL_TCP_URI=mysql://u:pw@127.0.0.1:53307/t")
set_tests_properties(mysql9.start mysql9.stop PROPERTIES ENVIRONMENT "MYSQL9_BASE=${mysql9_base}")
set_tests_properties(mysql9.start mysql9.stop ${mysql9_tests} PROPERTIES LABELS mysql9)
