lmtpd_room(test_received_text SOURCES received_text.cc)
