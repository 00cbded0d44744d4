lmtpd_room(test_message_rows SOURCES message_rows.cc LINK storage_api test_sql_client)
