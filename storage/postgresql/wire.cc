#include "storage/postgresql/wire.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "storage/postgresql/errors.h"

namespace storage::postgresql::wire {
namespace {

using Clock = std::chrono::steady_clock;

class Deadline {
 public:
  explicit Deadline(Timeout timeout) {
    if (timeout > Timeout::zero()) end_ = Clock::now() + timeout;
  }
  // For poll(2): -1 waits for ever.
  [[nodiscard]] int remaining() const {
    if (!end_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }

 private:
  std::optional<Clock::time_point> end_;
};

std::string one_line(std::string_view text) {
  text = text.substr(0, text.find("\nLOCATION:"));
  std::string line(text);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::erase(line, '\t');
  return line;
}

[[noreturn]] void throw_lost(PGconn* connection, const std::string& what) {
  const std::string why = one_line(PQerrorMessage(connection));
  throw Error("", why.empty() ? what : what + ": " + why, Error::Link::lost);
}

// Returns the events that occurred.
short wait(PGconn* connection, short events, const Deadline& deadline) {
  for (;;) {
    pollfd entry{PQsocket(connection), events, 0};
    const int ready = ::poll(&entry, 1, deadline.remaining());
    if (ready > 0) return entry.revents;
    if (ready == 0) throw Error("", "no answer from the server in time", Error::Link::lost);
    if (errno != EINTR) throw Error("", "poll failed on the server's socket", Error::Link::lost);
  }
}

void flush(PGconn* connection, const Deadline& deadline) {
  for (;;) {
    const int state = PQflush(connection);
    if (state == 0) return;
    if (state < 0) throw_lost(connection, "connection lost while sending");
    // The server may send a notice or an error first and wait until we have read it.
    if (wait(connection, POLLIN | POLLOUT, deadline) & POLLIN && PQconsumeInput(connection) == 0) {
      throw_lost(connection, "connection lost while sending");
    }
  }
}

// nullptr: the answer is complete.
PGresult* next_result(PGconn* connection, const Deadline& deadline) {
  while (PQisBusy(connection) != 0) {
    wait(connection, POLLIN, deadline);
    if (PQconsumeInput(connection) == 0) break;  // PQgetResult makes an error result of it
  }
  return PQgetResult(connection);
}

bool is_error(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY;
}

Error error_of(PGconn* connection, const PGresult* result) {
  const auto field = [result](int code) {
    const char* text = PQresultErrorField(result, code);
    return std::string(text ? text : "");
  };
  const std::string severity = field(PG_DIAG_SEVERITY_NONLOCALIZED);
  std::string message = field(PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = one_line(PQresultErrorMessage(result));
  if (const std::string constraint = field(PG_DIAG_CONSTRAINT_NAME); !constraint.empty())
    message += " [" + constraint + "]";
  const std::string sqlstate = field(PG_DIAG_SQLSTATE);
  const bool lost = severity == "FATAL" || severity == "PANIC" || PQstatus(connection) != CONNECTION_OK;
  return Error(sqlstate, sqlstate.empty() ? message : sqlstate + " " + message,
               lost ? Error::Link::lost : Error::Link::alive);
}

Rows receive(PGconn* connection, Timeout timeout) {
  const Deadline deadline(timeout);
  flush(connection, deadline);
  std::optional<Rows> last;
  std::optional<Rows> failed;
  while (PGresult* raw = next_result(connection, deadline)) {
    Rows rows(raw);
    if (!is_error(raw)) {
      last = std::move(rows);
    } else if (!failed) {
      failed = std::move(rows);
    }
  }
  if (failed) throw error_of(connection, failed->raw());
  if (PQstatus(connection) != CONNECTION_OK || !last) throw_lost(connection, "connection lost");
  return std::move(*last);
}

void require_sent(PGconn* connection, int sent) {
  if (sent == 0) throw_lost(connection, "cannot send");
}

struct Pointers {
  explicit Pointers(const Arguments& arguments) {
    for (const std::string& value : arguments.values()) {
      values.push_back(value.data());
      lengths.push_back(static_cast<int>(value.size()));
      formats.push_back(1);
    }
  }
  [[nodiscard]] int count() const { return static_cast<int>(values.size()); }
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
};

void send(PGconn* connection, const Request& request) {
  static const Arguments none;
  const Pointers pointers(request.arguments ? *request.arguments : none);
  const auto count = pointers.count();
  const auto values = pointers.values.data();
  const auto lengths = pointers.lengths.data();
  const auto formats = pointers.formats.data();
  if (request.text) {
    require_sent(connection,
                 PQsendQueryParams(connection, request.text->c_str(), count, nullptr, values, lengths, formats, 1));
  } else {
    const std::string name(request.name);
    require_sent(connection, PQsendQueryPrepared(connection, name.c_str(), count, values, lengths, formats, 1));
  }
}

// The answers of a pipeline up to its end. After an error the server skips the rest.
std::vector<Rows> receive_all(PGconn* connection, std::span<const Request> requests, const Deadline& deadline) {
  std::vector<Rows> answers;
  answers.reserve(requests.size());
  std::optional<Error> fault;
  std::size_t answered = 0;
  for (;;) {
    PGresult* const raw = next_result(connection, deadline);
    if (!raw) {  // the answer to one request is complete
      if (PQstatus(connection) != CONNECTION_OK) break;
      if (++answered > requests.size()) throw_lost(connection, "pipeline out of step");
      continue;
    }
    Rows rows(raw);
    const ExecStatusType status = PQresultStatus(raw);
    if (status == PGRES_PIPELINE_SYNC) {
      if (fault) throw *fault;
      if (answers.size() != requests.size()) throw_lost(connection, "pipeline out of step");
      return answers;
    }
    if (status == PGRES_PIPELINE_ABORTED || fault) continue;
    if (is_error(raw)) {
      fault = error_of(connection, raw).at(requests[std::min(answered, requests.size() - 1)].name);
    } else {
      answers.push_back(std::move(rows));
    }
  }
  throw Error(fault ? fault->sqlstate() : "", fault ? fault->what() : "connection lost", Error::Link::lost);
}

// Pipeline mode for one round trip, whatever way it ends.
class Pipeline {
 public:
  explicit Pipeline(PGconn* connection) : connection_(connection) {
    require_sent(connection, PQenterPipelineMode(connection));
  }
  ~Pipeline() { PQexitPipelineMode(connection_); }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

 private:
  PGconn* connection_;
};

bool is_sqlstate(std::string_view text) {
  return text.size() == 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

std::string sqlstate_in(std::string_view verbose_message) {
  // "…FATAL:  28P01: password authentication failed": the severity may be translated, the shape is not.
  for (std::size_t at = verbose_message.find(":  "); at != std::string_view::npos;
       at = verbose_message.find(":  ", at + 1)) {
    const std::string_view candidate = verbose_message.substr(at + 3, 5);
    if (is_sqlstate(candidate) && verbose_message.substr(at + 8, 2) == ": ") return std::string(candidate);
  }
  return "";
}

PGconn* dial(const std::string& conninfo, Timeout timeout) {
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  const Deadline deadline(timeout);
  std::unique_ptr<PGconn, Finish> connection(PQconnectStart(conninfo.c_str()));
  if (!connection) throw std::bad_alloc();
  PQsetErrorVerbosity(connection.get(),
                      PQERRORS_VERBOSE);  // the only way to learn the SQLSTATE of a refused connection
  PostgresPollingStatusType state =
      PQstatus(connection.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    wait(connection.get(), state == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline);
    state = PQconnectPoll(connection.get());
  }
  if (state == PGRES_POLLING_FAILED) {
    const std::string message = PQerrorMessage(connection.get());
    throw Error(sqlstate_in(message), one_line(message), Error::Link::lost);
  }
  PQsetErrorVerbosity(connection.get(), PQERRORS_DEFAULT);
  PQsetNoticeReceiver(
      connection.get(), [](void*, const PGresult*) {}, nullptr);
  return connection.release();
}

Rows query(PGconn* connection, const std::string& text, Timeout timeout) {
  require_sent(connection, PQsendQuery(connection, text.c_str()));
  return receive(connection, timeout);
}

void prepare(PGconn* connection, const std::string& name, const std::string& text, Timeout timeout) {
  require_sent(connection, PQsendPrepare(connection, name.c_str(), text.c_str(), 0, nullptr));
  receive(connection, timeout);
}

Rows execute(PGconn* connection, const Request& request, Timeout timeout) {
  send(connection, request);
  return receive(connection, timeout);
}

std::vector<Rows> execute_together(PGconn* connection, std::span<const Request> requests, Timeout timeout) {
  const Deadline deadline(timeout);
  const Pipeline pipeline(connection);
  for (const Request& request : requests) send(connection, request);
  require_sent(connection, PQpipelineSync(connection));
  flush(connection, deadline);
  return receive_all(connection, requests, deadline);
}

}  // namespace storage::postgresql::wire
