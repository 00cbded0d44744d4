# One program, every case on every engine. The cases of PostgreSQL and MySQL need the fixture "servers".
add_executable(storage_contract_test
  store_under_test.cc memory_under_test.cc sql_under_test.cc
  clean_up_test.cc rows_test.cc redelivery_test.cc quota_test.cc mailboxes_test.cc header_names_test.cc concurrency_test.cc resolve_test.cc
  fault_law_test.cc round_trips_test.cc limits_test.cc admin_test.cc)
target_link_libraries(storage_contract_test PRIVATE
  lmtpd_flags storage_memory storage_registry test_scratch_db test_made_message test_message_rows GTest::gmock GTest::gtest_main)
foreach(part IN ITEMS "local" "servers")
  set(filter "*/memory:*/sqlite")
  set(fixtures)
  if(part STREQUAL "servers")
    set(filter "*/postgresql:*/mysql")
    set(fixtures FIXTURES_REQUIRED servers)
  endif()
  gtest_discover_tests(storage_contract_test TEST_PREFIX "storage_contract_test." TEST_FILTER "${filter}"
    TEST_LIST storage_contract_${part} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS contract TIMEOUT 120 ${fixtures})
endforeach()
