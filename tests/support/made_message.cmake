lmtpd_room(test_made_message SOURCES made_message.cc LINK storage_api PkgConfig::CRYPTO)
