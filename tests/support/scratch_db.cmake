pkg_check_modules(TEST_PQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(TEST_SQLITE REQUIRED IMPORTED_TARGET sqlite3)
find_path(TEST_MYSQLCPPCONN_INCLUDE_DIR mysql_driver.h REQUIRED)
find_library(TEST_MYSQLCPPCONN_LIBRARY mysqlcppconn REQUIRED)

lmtpd_room(test_sql_client
  SOURCES sql_client.cc sqlite_client.cc postgresql_client.cc mysql_client.cc
  LINK storage_schema PkgConfig::TEST_PQ PkgConfig::TEST_SQLITE ${TEST_MYSQLCPPCONN_LIBRARY})
target_include_directories(test_sql_client SYSTEM PRIVATE ${TEST_MYSQLCPPCONN_INCLUDE_DIR})

lmtpd_room(test_scratch_db SOURCES scratch_db.cc LINK storage_registry storage_schema test_sql_client test_servers)
