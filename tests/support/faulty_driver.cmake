lmtpd_room(test_faulty_driver SOURCES faulty_driver.cc LINK storage_api)
