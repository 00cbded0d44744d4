#include "storage/mysql/endpoint.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>

#include "storage/uri.h"

namespace storage::mysql {
namespace {

constexpr const char* default_socket = "/run/mysqld/mysqld.sock";

Tls tls_mode(const Uri& uri) {
  const auto mode = uri.parameter("ssl_mode");
  const bool has_ca = uri.parameter("ssl_ca").has_value();
  if (!mode) {
    if (has_ca) throw std::invalid_argument("storage.uri: ssl_ca needs ssl_mode=verify (or required) beside it");
    return Tls::off;
  }
  if (*mode == "required") return Tls::required;
  if (*mode != "verify") throw std::invalid_argument("storage.uri: ssl_mode must be required or verify");
  if (!has_ca) throw std::invalid_argument("storage.uri: ssl_mode=verify needs ssl_ca=/path/to/ca.pem");
  return Tls::verify;
}

void set_address(const Uri& uri, Endpoint& endpoint) {
  const auto socket = uri.parameter("socket");
  const bool socket_as_host = uri.host.starts_with('/');
  if (socket && !uri.host.empty() && uri.host != "localhost") {
    throw std::invalid_argument("storage.uri: give either a host or socket=, not both");
  }
  if (socket || socket_as_host || uri.host.empty()) {
    endpoint.socket = socket.value_or(socket_as_host ? uri.host : default_socket);
  } else {
    endpoint.host = uri.host;
  }
  if (uri.port != 0) endpoint.port = uri.port;
}

int seconds(std::chrono::seconds value) {
  return static_cast<int>(std::clamp<std::int64_t>(value.count(), 1, std::numeric_limits<int>::max()));
}

}  // namespace

Endpoint parse_endpoint(const Options& options) {
  const Uri uri = parse_uri(options.uri);
  require_known_parameters(uri, {"socket", "ssl_mode", "ssl_ca"});
  if (uri.user.empty()) throw std::invalid_argument("storage.uri: the user is missing: mysql://USER@host/database");
  if (uri.database().empty())
    throw std::invalid_argument("storage.uri: the database is missing: mysql://user@host/DATABASE");
  Endpoint endpoint;
  endpoint.user = uri.user;
  endpoint.password = password_for(options, uri);
  endpoint.database = std::string(uri.database());
  endpoint.tls = tls_mode(uri);
  endpoint.ca_file = uri.parameter("ssl_ca").value_or("");
  set_address(uri, endpoint);
  return endpoint;
}

sql::ConnectOptionsMap connect_options(const Endpoint& endpoint, const Options& options) {
  sql::ConnectOptionsMap out;
  const auto text = [&](const char* name, const std::string& value) { out[name] = sql::SQLString(value); };
  if (endpoint.host.empty()) {
    text("hostName", "unix://" + endpoint.socket);
  } else {
    // With "localhost" the client library takes the unix socket unless the scheme says TCP.
    const bool ipv6 = endpoint.host.find(':') != std::string::npos;
    text("hostName",
         "tcp://" + (ipv6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port));
  }
  text("userName", endpoint.user);
  text("password", endpoint.password);
  text("schema", endpoint.database);
  // Halves the cost of blobs; comparisons keep the collation of the column (DECISIONS.md 28).
  text("OPT_CHARSET_NAME", "binary");
  out["OPT_CONNECT_TIMEOUT"] = seconds(options.connect_timeout);
  // The server gives up first where it can (max_execution_time), so that the connection survives.
  out["OPT_READ_TIMEOUT"] = seconds(options.statement_timeout + std::chrono::seconds(2));
  out["OPT_WRITE_TIMEOUT"] = seconds(options.statement_timeout + std::chrono::seconds(2));
  out["CLIENT_MULTI_STATEMENTS"] = true;  // scripts (script.h)
  out["OPT_LOCAL_INFILE"] = 0;  // a hostile server could ask for our files
  if (endpoint.tls != Tls::off) out["sslEnforce"] = true;
  if (!endpoint.ca_file.empty()) text("sslCA", endpoint.ca_file);
  if (endpoint.tls == Tls::verify) out["sslVerify"] = true;
  return out;
}

}  // namespace storage::mysql
