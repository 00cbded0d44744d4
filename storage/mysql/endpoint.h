// storage/mysql/endpoint.h: storage.uri as this engine reads it, and the options for the client library made from it.
// Pure but for the password file, read once.
//
//   mysql://user:password@host:port/database?socket=/path&ssl_mode=required|verify&ssl_ca=/path
//
// Without host the server's unix socket is used (socket=, else /run/mysqld/mysqld.sock). ssl_mode=required encrypts and
// refuses a server without TLS; with ssl_ca its certificate must come from there. verify needs ssl_ca and also checks
// that the certificate names the host. Without ssl_mode TCP connections are in the clear. Only options that this build
// of the client library really obeys are offered: it ignores unknown ones silently.
#pragma once

#include <cppconn/connection.h>

#include <cstdint>
#include <string>

#include "storage/options.h"

namespace storage::mysql {

enum class Tls : std::uint8_t { off, required, verify };

struct Endpoint {
  std::string user;
  std::string password;
  std::string host;  // empty: socket
  std::uint16_t port = 3306;
  std::string socket;
  std::string database;
  Tls tls = Tls::off;
  std::string ca_file;
};

// Throws std::invalid_argument with a sentence for the operator.
[[nodiscard]] Endpoint parse_endpoint(const Options& options);

[[nodiscard]] sql::ConnectOptionsMap connect_options(const Endpoint& endpoint, const Options& options);

}  // namespace storage::mysql
