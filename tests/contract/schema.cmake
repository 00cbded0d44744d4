lmtpd_test(schema_test LABEL contract SERVERS SOURCES schema_test.cc cascade_test.cc query_plan_test.cc
  LINK test_scratch_db storage_registry)
target_compile_definitions(schema_test PRIVATE LMTPD_SCHEMA_README="${PROJECT_SOURCE_DIR}/schema/README.md")
