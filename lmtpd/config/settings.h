// lmtpd/config/settings.h: everything the configuration file says, as the Options structs of the rooms. Plain value.
#pragma once

#include <map>
#include <string>

#include "lmtpd/delivery/options.h"
#include "lmtpd/observe/log_setup.h"
#include "lmtpd/server/options.h"
#include "storage/options.h"

namespace lmtpd::config {

struct Settings {
  storage::Options storage;
  storage::PoolOptions pool;
  delivery::Options delivery;
  server::Options server;  // mime options inside
  observe::LogOptions log;
  std::string run_as_user;   // main becomes it before it opens anything; empty: stays
  std::string run_as_group;  // empty: the user's own group
  std::map<std::string, std::string> places;  // keys that the file gives, each with the "FILE:LINE:COLUMN" of its value
};

}  // namespace lmtpd::config
