#include "storage/postgresql/session.h"

#include <sys/socket.h>

#include <algorithm>

#include <pqxx/basic_connection>
#include <pqxx/connection>
#include <pqxx/connectionpolicy>

#include "storage/fault_hook.h"
#include "storage/postgresql/conninfo.h"
#include "storage/postgresql/wire.h"

namespace storage::postgresql {
namespace {

constexpr std::chrono::seconds grace{5};  // the server's own statement_timeout shall win

// libpqxx keeps the handle to itself; this policy connects with our deadline and leaves the handle where Session finds
// it.
class DialPolicy : public pqxx::connectionpolicy {
 public:
  explicit DialPolicy(const std::string& conninfo) : connectionpolicy(conninfo) {}

  handle do_startconnect(handle present) override {
    if (present) return present;
    // A second call would be libpqxx's silent reconnect: another server session, without our transaction.
    if (dialled_) throw pqxx::broken_connection("connection lost");
    dialled_ = true;
    return handle_ = wire::dial(options(), timeout_);
  }

  static thread_local PGconn* handle_;
  static thread_local wire::Timeout timeout_;

 private:
  bool dialled_ = false;
};

thread_local PGconn* DialPolicy::handle_ = nullptr;
thread_local wire::Timeout DialPolicy::timeout_{};

std::string with_prefix(std::string_view sql, std::string_view prefix) {
  std::string text;
  for (std::size_t at = sql.find("{}"); at != std::string_view::npos; at = sql.find("{}")) {
    text.append(sql.substr(0, at)).append(prefix);
    sql.remove_prefix(at + 2);
  }
  return text.append(sql);
}

// "a; b" → a, b. REQUIRES no semicolon inside a command.
std::vector<std::string> commands_in(std::string_view text) {
  std::vector<std::string> commands;
  for (std::size_t at = text.find("; "); at != std::string_view::npos; at = text.find("; ")) {
    commands.emplace_back(text.substr(0, at));
    text.remove_prefix(at + 2);
  }
  commands.emplace_back(text);
  return commands;
}

bool is_transaction_control(Statement statement) {
  return statement == Statement::begin || statement == Statement::commit || statement == Statement::rollback;
}

}  // namespace

class Session::Link {
 public:
  explicit Link(const Options& options) : connection_(dialled(options)), handle_(DialPolicy::handle_) {
    if (PQsetnonblocking(handle_, 1) != 0)
      throw Error("", "cannot make the connection non-blocking", Error::Link::lost);
  }
  [[nodiscard]] PGconn* handle() const { return handle_; }

 private:
  static std::string dialled(const Options& options) {
    DialPolicy::timeout_ = options.connect_timeout;
    return conninfo(options);
  }

  pqxx::basic_connection_base<DialPolicy> connection_;
  PGconn* handle_;
};

Session::Session(const Options& options) : options_(options), link_(std::make_unique<Link>(options)) {
  for (std::size_t i = 0; i < statement_count; ++i) texts_[i] = with_prefix(statements[i].sql, options_.table_prefix);
  texts_[static_cast<std::size_t>(Statement::begin)] = begin_text(options_);
  for (const Statement statement : {Statement::begin, Statement::commit, Statement::rollback})
    control_texts_.at(static_cast<std::size_t>(statement)) = commands_in(text_of(statement));
}

Session::~Session() = default;

Rows Session::execute(Statement statement, const Arguments& arguments) {
  return execute_hooked(
      options_.statement_hook, name_of(statement), [&] { return perform(statement, arguments); }, [&] { cut(); });
}

std::vector<Rows> Session::execute_together(std::string_view name, const std::vector<Step>& steps) {
  const auto commit =
      std::find_if(steps.begin(), steps.end(), [](const Step& step) { return step.statement == Statement::commit; });
  committing_ = commit != steps.end();
  std::vector<Rows> answers = execute_hooked(
      options_.statement_hook, name, [&] { return perform_together(steps); }, [&] { cut(); });
  if (committing_) require_committed(answers[static_cast<std::size_t>(commit - steps.begin())]);
  return answers;
}

Rows Session::perform(Statement statement, const Arguments& arguments) {
  PGconn* const connection = link_->handle();
  try {
    if (is_transaction_control(statement)) return wire::query(connection, text_of(statement), timeout_of(statement));
    prepare(statement);
    return wire::execute(connection, request(statement, arguments), timeout_of(statement));
  } catch (const Error& error) {
    throw error.at(name_of(statement));
  }
}

std::vector<Rows> Session::perform_together(const std::vector<Step>& steps) {
  std::vector<wire::Request> requests;
  std::vector<std::size_t> last;  // step → its last request
  for (const Step& step : steps) {
    add_requests(step, requests);
    last.push_back(requests.size() - 1);
  }
  // The server's time limit counts for each statement and it answers at the end; what takes longer than two of them is
  // as good as hung.
  const auto timeout = 2 * timeout_of(steps.front().statement);
  std::vector<Rows> answers = wire::execute_together(link_->handle(), requests, timeout);
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] != i) answers[i] = std::move(answers[last[i]]);
  }
  answers.erase(answers.begin() + static_cast<std::ptrdiff_t>(last.size()), answers.end());
  return answers;
}

void Session::add_requests(const Step& step, std::vector<wire::Request>& requests) {
  if (is_transaction_control(step.statement)) {
    for (const std::string& text : control_texts_[static_cast<std::size_t>(step.statement)])
      requests.push_back({name_of(step.statement), &text, nullptr});
  } else {
    prepare(step.statement);
    requests.push_back(request(step.statement, step.arguments));
  }
}

void Session::prepare(Statement statement) {
  bool& prepared = prepared_[static_cast<std::size_t>(statement)];
  if (prepared || !options_.server_prepared_statements) return;
  wire::prepare(link_->handle(), std::string(name_of(statement)), text_of(statement), timeout_of(statement));
  prepared = true;
}

wire::Request Session::request(Statement statement, const Arguments& arguments) const {
  return {name_of(statement), options_.server_prepared_statements ? nullptr : &text_of(statement), &arguments};
}

const std::string& Session::text_of(Statement statement) const {
  return texts_[static_cast<std::size_t>(statement)];
}

void Session::cut() {
  ::shutdown(PQsocket(link_->handle()), SHUT_RDWR);
}

Rows Session::execute_script(const std::string& sql) {
  return wire::query(link_->handle(), sql, timeout_of(Statement::create_schema));
}

void Session::commit() {
  committing_ = true;
  require_committed(execute(Statement::commit));
}

void Session::require_committed(const Rows& rows) {
  committing_ = false;
  // The server answers ROLLBACK, without an error, when the transaction had failed before.
  if (rows.command_tag() != "COMMIT") throw Error("25P02", "COMMIT was answered by a rollback", Error::Link::alive);
}

void Session::rollback() noexcept {
  try {
    if (!usable()) return;
    execute(Statement::rollback);
  } catch (...) {
    poisoned_ = true;
  }
}

Status Session::failure() noexcept {
  try {
    Translation translation = translate(std::current_exception(), committing_);
    committing_ = false;
    if (translation.poisoned) poisoned_ = true;
    if (usable() && PQtransactionStatus(link_->handle()) != PQTRANS_IDLE) rollback();
    return std::move(translation.status);
  } catch (...) {  // no memory even for the sentence
    poisoned_ = true;
    return Status(std::exchange(committing_, false) ? Reason::in_doubt : Reason::unavailable);
  }
}

bool Session::usable() const {
  return !poisoned_ && PQstatus(link_->handle()) == CONNECTION_OK;
}

int Session::server_version() const {
  return PQserverVersion(link_->handle());
}

std::chrono::milliseconds Session::timeout_of(Statement statement) const {
  if (statement == Statement::ping || statement == Statement::rollback) return options_.connect_timeout + grace;
  if (options_.statement_timeout == std::chrono::seconds::zero()) return {};
  return options_.statement_timeout + grace;
}

}  // namespace storage::postgresql
