lmtpd_room(test_scripted_driver SOURCES scripted_driver.cc LINK storage_api)
