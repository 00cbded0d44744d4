#include "lmtpd/config/option_table.h"

#include <utility>

#include "lmtpd/config/option_binding.h"

namespace lmtpd::config {
namespace {

constexpr std::int64_t us = 1;
constexpr std::int64_t ms = 1000 * us;
constexpr std::int64_t s = 1000 * ms;
constexpr std::int64_t minute = 60 * s;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;
constexpr std::int64_t gib = 1 << 30;

template <class Member, class Inner>
auto field(Member Settings::*group, Inner Member::*member) {
  return [group, member](Settings& settings) -> Inner& { return settings.*group.*member; };
}
template <class Member>
auto limit(Member server::Limits::*member) {
  return [member](Settings& settings) -> Member& { return settings.server.limits.*member; };
}

using Options = std::vector<Option>;

void add_storage(Options& out) {
  const auto group = &Settings::storage;
  out.push_back(with_example(
      option("storage.uri", Type::text, field(group, &storage::Options::uri),
             "The mail store: sqlite:///absolute/path, postgresql://user@host:port/database (a unix socket: "
             "postgresql:///database?host=/run/postgresql), or mysql://user@host:port/database (also MariaDB; a unix "
             "socket: mysql:///database?socket=/run/mysqld/mysqld.sock). Changing the engine is this line and a restart."),
      R"("sqlite:///var/lib/lmtpd/store.db")"));
  out.push_back(with_example(
      option("storage.password_file", Type::text, field(group, &storage::Options::password_file),
             "A file whose first line is the database password, so that this file need not hold it."),
      R"("/etc/lmtpd/db-password")"));
  out.push_back(option("storage.table_prefix", Type::text, field(group, &storage::Options::table_prefix),
                       "Prefix of every table name, as in DBMail's table_prefix. Letters, digits, underscore."));
  out.push_back(within(option("storage.connection_age", Type::duration,
                              field(&Settings::pool, &storage::PoolOptions::max_age),
                              "A connection older than this is replaced when it is not in use."),
                       s, 24 * hour));
  out.push_back(within(option("storage.idle_check", Type::duration,
                              field(&Settings::pool, &storage::PoolOptions::idle_check),
                              "A connection unused for longer is tested before it is used."),
                       s, hour));
  out.push_back(within(option("storage.connect_timeout", Type::duration,
                              field(group, &storage::Options::connect_timeout), "Time to reach the database server."),
                       s, 5 * minute));
  out.push_back(within(option("storage.statement_timeout", Type::duration,
                              field(group, &storage::Options::statement_timeout),
                              "Time for one statement; then the transaction is rolled back and tried again later."),
                       s, 10 * minute));
  out.push_back(within(option("storage.lock_timeout", Type::duration, field(group, &storage::Options::lock_timeout),
                              "Time to wait for a row that another writer has locked."),
                       s, 5 * minute));
  out.push_back(word_choice(option("storage.sqlite_synchronous", Type::choice,
                                   field(group, &storage::Options::sqlite_synchronous),
                                   "SQLite only. FULL syncs the write-ahead log at each commit, EXTRA also its folder. "
                                   "Less than FULL would lose acknowledged mail at a power cut and is not offered."),
                            {"FULL", "EXTRA"}));
  out.push_back(option("storage.server_prepared_statements", Type::boolean,
                       field(group, &storage::Options::server_prepared_statements),
                       "PostgreSQL only. Turn off behind a pooler in transaction mode."));
  out.push_back(option("storage.cache_new_header_names", Type::boolean,
                       field(group, &storage::Options::cache_new_header_names),
                       "Adds header names that the store does not know to its dictionary, so that readers can search "
                       "every header; costs rows per message. Off is DBMail's default (header_cache_readonly)."));
  Option redelivery = option("storage.recognise_redelivery", Type::boolean,
                             field(group, &storage::Options::recognise_redelivery),
                             "The very same content from the same sender to the same mailbox is stored once, so that a "
                             "retry after a lost reply makes no second copy. Off: every delivery is stored.");
  const auto set_storage = redelivery.set;
  redelivery.set = [set_storage](Settings& settings, const Value& value) {
    set_storage(settings, value);
    settings.server.limits.recognise_redelivery = std::get<bool>(value);
  };
  out.push_back(std::move(redelivery));
}

void add_listen(Options& out) {
  const auto group = &Settings::server;
  out.push_back(with_example(option("listen.lmtp", Type::texts, field(group, &server::Options::listen),
                                    "Where to listen: \"unix:/absolute/path\", \"inet:127.0.0.1:24\", \"inet:[::1]:24\". "
                                    "Sockets that systemd hands over come in addition."),
                             R"(["unix:/run/lmtpd/lmtp.sock"])"));
  out.push_back(within(option("listen.socket_mode", Type::mode, field(group, &server::Options::socket_mode),
                              "Permissions of unix sockets."),
                       0, 0777));
  out.push_back(option("listen.socket_owner", Type::text, field(group, &server::Options::socket_owner),
                       "Owner of unix sockets, name or number; empty: the process's own."));
  out.push_back(with_example(option("listen.socket_group", Type::text, field(group, &server::Options::socket_group),
                                    "Group of unix sockets, name or number; empty: the process's own."),
                             R"("postfix")"));
  out.push_back(option("listen.peer_users", Type::texts, field(group, &server::Options::peer_users),
                       "Users that may connect to unix sockets (by their credentials); with peer_groups both empty: "
                       "everyone whom the socket's permissions let in."));
  out.push_back(option("listen.peer_groups", Type::texts, field(group, &server::Options::peer_groups),
                       "Groups that may connect to unix sockets."));
  out.push_back(option("listen.proxy_networks", Type::texts, field(group, &server::Options::proxy_networks),
                       "TCP peers that must send a PROXY protocol header (v1 or v2), as \"127.0.0.1\" or \"10.0.0.0/8\"."));
  out.push_back(option("listen.xforward_networks", Type::texts, field(group, &server::Options::xforward_networks),
                       "TCP peers that may use XFORWARD; unix sockets always may."));
  out.push_back(within(option("listen.backlog", Type::integer, field(group, &server::Options::backlog),
                              "Connections that may wait to be accepted; the kernel lowers it to net.core.somaxconn."),
                       1, 65535));
}

void add_server(Options& out) {
  out.push_back(option("server.hostname", Type::text, field(&Settings::server, &server::Options::hostname),
                       "Name in the greeting; \"localhost\" stands for the machine's own host name."));
  out.push_back(within(option("server.io_threads", Type::integer, field(&Settings::server, &server::Options::io_threads),
                              "Threads that read and write sockets and cut messages."),
                       1, 64));
  out.push_back(option("server.user", Type::text, [](Settings& x) -> std::string& { return x.run_as_user; },
                       "When started as root: the user to become before log, sockets and database are opened."));
  out.push_back(option("server.group", Type::text, [](Settings& x) -> std::string& { return x.run_as_group; },
                       "When started as root: the group to become; empty: the user's own."));
}

void add_limits(Options& out) {
  using server::Limits;
  out.push_back(reloadable(within(option("limits.message_size", Type::octets, limit(&Limits::message_size),
                                         "Largest message, announced as SIZE (lower where the database's packet limit "
                                         "is lower); larger mail gets 552 5.3.4."),
                                  64 * kib, gib)));
  out.push_back(reloadable(within(option("limits.sessions", Type::integer, limit(&Limits::sessions),
                                         "Connections at once; more get 421 4.3.2."),
                                  1, 100000)));
  out.push_back(reloadable(within(option("limits.recipients", Type::integer, limit(&Limits::recipients),
                                         "Recipients in one transaction; more get 452 4.5.3."),
                                  100, 100000)));
  out.push_back(reloadable(within(option("limits.bad_commands", Type::integer, limit(&Limits::bad_commands),
                                         "Faulty commands in one connection before 421 4.7.0."),
                                  1, 10000)));
  out.push_back(reloadable(within(option("limits.received_headers", Type::integer, limit(&Limits::received_headers),
                                         "Received fields in a message before it counts as looping: 554 5.4.6."),
                                  10, 10000)));
  out.push_back(within(option("limits.memory", Type::octets, field(&Settings::delivery, &delivery::Options::memory_octets),
                              "Octets of mail in memory, receiving and queued; beyond it reading stops, then 452 4.3.1."),
                       4 * mib, 1024 * gib));
  out.push_back(within(option("limits.queue", Type::integer, field(&Settings::delivery, &delivery::Options::queue_count),
                              "Messages waiting for a lane; more get 452 4.3.1."),
                       1, 1000000));
}

void add_timeouts(Options& out) {
  using server::Limits;
  out.push_back(reloadable(within(option("timeouts.idle", Type::duration, limit(&Limits::idle),
                                         "Silence between commands before 421 4.4.2."),
                                  s, hour)));
  out.push_back(reloadable(within(option("timeouts.data_idle", Type::duration, limit(&Limits::data_idle),
                                         "Silence inside a message before 421 4.4.2."),
                                  s, hour)));
  out.push_back(reloadable(within(option("timeouts.data_total", Type::duration, limit(&Limits::data_total),
                                         "Beginning to end of one message, even of one that never pauses, before 421 "
                                         "4.4.2. 50 MiB in 30 minutes need 30 KB/s."),
                                  s, 24 * hour)));
  out.push_back(reloadable(within(option("timeouts.drain", Type::duration, limit(&Limits::drain),
                                         "At SIGTERM: time for open transactions to reach their end of data."),
                                  0, hour)));
  const auto group = &Settings::delivery;
  out.push_back(within(option("timeouts.queue", Type::duration, field(group, &delivery::Options::queue_deadline),
                              "End of data to the moment a lane takes the message; then 451 4.4.7."),
                       s, 10 * minute));
  out.push_back(within(option("timeouts.taken", Type::duration, field(group, &delivery::Options::taken_deadline),
                              "A taken message whose outcome is still open then is answered 451 4.4.7; it is stored all "
                              "the same and the retry is recognised. Keep it below Postfix's lmtp_data_done_timeout."),
                       10 * s, hour));
  out.push_back(within(option("timeouts.memory", Type::duration, field(group, &delivery::Options::budget_wait),
                              "Time that a message waits for memory before 452 4.3.1."),
                       0, 10 * minute));
  out.push_back(within(option("timeouts.lookup", Type::duration, field(group, &delivery::Options::lookup_deadline),
                              "Time for a recipient look-up before 451 4.3.0."),
                       s, 5 * minute));
}

void add_recipients(Options& out) {
  out.push_back(option("recipients.detail_delimiters", Type::text,
                       field(&Settings::storage, &storage::Options::detail_delimiters),
                       "Characters that separate a user from a detail, as in alice+lists@example.org; the first that "
                       "occurs wins; empty: no details."));
  out.push_back(option("recipients.create_detail_mailboxes", Type::boolean,
                       field(&Settings::storage, &storage::Options::create_detail_mailboxes),
                       "A detail that names no mailbox creates it; off: such mail goes to INBOX."));
  out.push_back(reloadable(option("recipients.over_quota_permanent", Type::boolean,
                                  limit(&server::Limits::over_quota_permanent),
                                  "A full mailbox gets 552 5.2.2 (bounce) instead of 452 4.2.2 (try again).")));
  const auto group = &Settings::delivery;
  out.push_back(within(option("recipients.cache_time", Type::duration, field(group, &delivery::Options::lookup_cache_ttl),
                              "How long a found recipient is remembered; 0s: not at all."),
                       0, hour));
  out.push_back(within(option("recipients.cache_time_unknown", Type::duration,
                              field(group, &delivery::Options::lookup_cache_negative_ttl),
                              "How long an unknown recipient is remembered."),
                       0, hour));
  out.push_back(within(option("recipients.cache_entries", Type::integer,
                              field(group, &delivery::Options::lookup_cache_entries), "Recipients remembered at most."),
                       0, 10000000));
}

void add_messages(Options& out) {
  out.push_back(reloadable(choice("messages.nul_bytes", {"replace", "reject", "keep"}, limit(&server::Limits::nul_bytes),
                                  "NUL octets, at which DBMail's readers would stop: replace stores them as 0x80 (same "
                                  "length), reject refuses the message with 550 5.6.0, keep stores them as they are.")));
  out.push_back(reloadable(choice("messages.bare_line_ends", {"accept", "reject"}, limit(&server::Limits::bare_line_ends),
                                  "CR or LF alone inside a message: accept keeps them as content, reject refuses the "
                                  "message with 550 5.5.2.")));
  out.push_back(choice("messages.hash", {"md5", "sha1", "sha256", "sha512"},
                       [](Settings& x) -> mime::HashAlgorithm& { return x.server.message.hash; },
                       "Digest by which equal parts and header values are found again; the same as DBMail's hash_algorithm "
                       "in a store that DBMail writes too."));
}

void add_delivery(Options& out) {
  const auto group = &Settings::delivery;
  out.push_back(within(option("delivery.lanes", Type::integer, field(group, &delivery::Options::lanes),
                              "Transactions at once, each with its own connection and thread; SQLite: always 1."),
                       1, 64));
  out.push_back(within(option("delivery.batch_messages", Type::integer, field(group, &delivery::Options::batch_count),
                              "Messages in one transaction at most; 1: no batching."),
                       1, 1000));
  out.push_back(within(option("delivery.batch_size", Type::octets, field(group, &delivery::Options::batch_octets),
                              "Octets in one transaction at most; a larger message goes alone."),
                       64 * kib, gib));
  out.push_back(within(option("delivery.linger", Type::duration, field(group, &delivery::Options::linger),
                              "Time that a batch waits for more mail; 0s: never. What gathers while a transaction commits is "
                              "the next batch anyway."),
                       0, s));
  out.push_back(within(option("delivery.lookup_threads", Type::integer,
                              field(group, &delivery::Options::lookup_threads), "Threads that look recipients up."),
                       1, 64));
  out.push_back(within(option("delivery.conflict_retries", Type::integer,
                              field(group, &delivery::Options::conflict_retries),
                              "Attempts after a deadlock or a serialisation failure before 451 4.3.0."),
                       0, 100));
  out.push_back(within(option("delivery.outage_tolerance", Type::duration,
                              field(group, &delivery::Options::outage_tolerance),
                              "How long the database may be away before MAIL is already answered 451 4.3.0, so that no "
                              "client sends a message for nothing."),
                       0, 5 * minute));
  out.push_back(within(option("delivery.unavailable_retry", Type::duration,
                              field(group, &delivery::Options::unavailable_retry),
                              "How long a taken batch waits for a database that has gone away before 451 4.3.0."),
                       0, 5 * minute));
}

void add_log(Options& out) {
  using observe::LogOptions;
  const auto log = [](auto member) { return [member](Settings& x) -> auto& { return x.log.*member; }; };
  out.push_back(choice("log.destination", {"stderr", "file", "syslog"}, log(&LogOptions::sink), "Where log lines go."));
  out.push_back(with_example(option("log.file", Type::text, log(&LogOptions::file),
                                    "Absolute path for destination \"file\"; opened again at SIGHUP."),
                             R"("/var/log/lmtpd/lmtpd.log")"));
  out.push_back(choice("log.format", {"text", "json"}, log(&LogOptions::format),
                       "text: key=value pairs; json: one object a line."));
  out.push_back(reloadable(choice("log.level", {"debug", "info", "warning", "error"}, log(&LogOptions::level),
                                  "Least severe lines that are written; one line per outcome is info or more.")));
  out.push_back(within(option("log.queue_lines", Type::integer, log(&LogOptions::queue_lines),
                              "Lines that may wait for the destination."),
                       64, 1 << 20));
  out.push_back(choice("log.overflow", {"block", "drop_oldest"}, log(&LogOptions::overflow),
                       "When that many lines wait: block holds deliveries until there is room and loses no line, drop_oldest "
                       "loses lines and holds nothing."));
}

Options make_table() {
  Options out;
  add_storage(out);
  add_listen(out);
  add_server(out);
  add_limits(out);
  add_timeouts(out);
  add_recipients(out);
  add_messages(out);
  add_delivery(out);
  add_log(out);
  return out;
}

}  // namespace

const std::vector<Section>& section_table() {
  static const std::vector<Section> table = {
      {"storage", "The mail store."},
      {"listen", "Sockets, and who may use them."},
      {"server", "The process."},
      {"limits", "How much is let in."},
      {"timeouts", "How long things may take."},
      {"recipients", "Which mailbox an address means."},
      {"messages", "What a message may hold."},
      {"delivery", "Batches and transactions."},
      {"log", "One line per outcome."},
  };
  return table;
}

const std::vector<Option>& option_table() {
  static const std::vector<Option> table = make_table();
  return table;
}

}  // namespace lmtpd::config
