lmtpd_room(test_scratch_folder SOURCES scratch_folder.cc)
