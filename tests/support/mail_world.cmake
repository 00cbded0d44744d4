lmtpd_room(test_mail_world SOURCES mail_world.cc LINK storage_api)
