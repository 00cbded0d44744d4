#include "storage/postgresql/conninfo.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/uri.h"

namespace storage::postgresql {
namespace {

using namespace std::chrono_literals;

using Setting = std::pair<std::string_view, std::string>;

std::string milliseconds(std::chrono::seconds duration) {
  return std::to_string(std::chrono::milliseconds(duration).count());
}

// Durability (synchronous_commit, fsync) is the server's business and never lowered here.
std::vector<Setting> session_settings(const Options& options) {
  return {
      {"statement_timeout", milliseconds(options.statement_timeout)},
      {"lock_timeout", milliseconds(options.lock_timeout)},
      // Every statement is a look-up by key. Plans are cached per connection, those of foreign key checks included; one
      // made while a table was nearly empty would scan it for ever after.
      {"enable_seqscan", "off"},
      // The penalty of the rare scan that remains would look like a query worth compiling.
      {"jit", "off"},
  };
}

std::vector<Setting> startup_settings(const Options& options) {
  std::vector<Setting> settings = session_settings(options);
  settings.insert(settings.end(),
                  {
                      {"timezone", "UTC"},
                      {"datestyle", "ISO"},
                      {"standard_conforming_strings", "on"},
                      {"default_transaction_isolation", "read\\ committed"},
                      // Arrays of keys, always by index: no plan is better for knowing their values, and planning costs.
                      {"plan_cache_mode", "force_generic_plan"},
                      // A lost client must not keep mailboxes locked.
                      {"idle_in_transaction_session_timeout", milliseconds(options.statement_timeout + 30s)},
                      {"tcp_keepalives_idle", "10"},
                      {"tcp_keepalives_interval", "5"},
                      {"tcp_keepalives_count", "3"},
                  });
  return settings;
}

std::string server_options(const Options& options) {
  std::string text;
  for (const auto& [name, value] : startup_settings(options)) {
    text.append(text.empty() ? "-c " : " -c ").append(name).append("=").append(value);
  }
  return text;
}

// libpq, "Keyword/Value Connection Strings": single quotes, backslash escapes.
void append_keyword(std::string& out, std::string_view keyword, std::string_view value) {
  if (value.empty()) return;
  out.append(keyword).append("='");
  for (const char c : value) {
    if (c == '\'' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.append("' ");
}

}  // namespace

std::string conninfo(const Options& options) {
  const Uri uri = parse_uri(options.uri);
  require_known_parameters(
      uri, {"host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding", "target_session_attrs"});
  std::string out;
  append_keyword(out, "host", uri.parameter("host").value_or(uri.host));
  append_keyword(out, "port", uri.parameter("port").value_or(uri.port != 0 ? std::to_string(uri.port) : ""));
  append_keyword(out, "dbname", uri.database());
  append_keyword(out, "user", uri.user);
  append_keyword(out, "password", password_for(options, uri));
  for (const auto& [name, value] : uri.parameters) {
    if (name != "host" && name != "port") append_keyword(out, name, value);
  }
  append_keyword(out, "client_encoding", "UTF8");
  append_keyword(out, "application_name", "lmtpd");
  append_keyword(out, "connect_timeout", std::to_string(options.connect_timeout.count()));
  append_keyword(out, "keepalives", "1");
  append_keyword(out, "keepalives_idle", "10");
  append_keyword(out, "keepalives_interval", "5");
  append_keyword(out, "keepalives_count", "3");
  append_keyword(out, "tcp_user_timeout", "20000");
  if (options.server_prepared_statements) append_keyword(out, "options", server_options(options));
  return out;
}

std::string begin_text(const Options& options) {
  std::string text = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
  if (options.server_prepared_statements) return text;
  for (const auto& [name, value] : session_settings(options)) {
    text.append("; SET LOCAL ").append(name).append(" = ").append(value);
  }
  return text;
}

}  // namespace storage::postgresql
