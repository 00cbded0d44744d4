lmtpd_room(test_lmtp_client SOURCES lmtp_client.cc)
