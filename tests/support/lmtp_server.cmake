lmtpd_room(test_lmtp_server SOURCES lmtp_server.cc LINK lmtpd_server storage_memory test_faulty_driver test_lmtp_client
               test_mail_world test_scratch_folder)
