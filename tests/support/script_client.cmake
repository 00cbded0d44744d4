lmtpd_room(test_script_client SOURCES script.cc script_client.cc)
