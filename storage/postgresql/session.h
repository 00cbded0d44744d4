// storage/postgresql/session.h: one server session: libpqxx's connection object, and THE execute function through which
// every statement of this engine goes (DECISIONS.md: fault hook, round-trip count). Faults are thrown (Error,
// InjectedFault); the owner translates them. One thread; owns the connection; never reconnects by itself.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/options.h"
#include "storage/postgresql/arguments.h"
#include "storage/postgresql/errors.h"
#include "storage/postgresql/rows.h"
#include "storage/postgresql/statements.h"
#include "storage/postgresql/wire.h"

namespace storage::postgresql {

class Session {
 public:
  // Connects. Throws Error, std::invalid_argument (URI), std::bad_alloc.
  explicit Session(const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // One round trip (a second one, once per connection, to prepare the statement).
  Rows execute(Statement statement, const Arguments& arguments = {});
  // Several statements in one round trip, in order; an answer for each. The first that fails stops the rest: a COMMIT
  // at the end comes into force only with all of them. The hook sees one statement of this name. Statements not used
  // before on this connection cost a round trip each to prepare.
  struct Step {
    Statement statement;
    Arguments arguments = {};
  };
  std::vector<Rows> execute_together(std::string_view name, const std::vector<Step>& steps);
  // Text that is not ours: the statements of a schema file. Simple protocol, no values; answers come in text form.
  Rows execute_script(const std::string& sql);

  void begin() { execute(Statement::begin); }
  // Returns only when the server acknowledged the COMMIT.
  void commit();
  // COMMIT has happened, but not of what was asked for: a fault that is thrown now is in doubt.
  void doubt_commit() { committing_ = true; }
  // Poisons the connection when it fails.
  void rollback() noexcept;

  // Turns what is in flight into a Status: rolls back, poisons the connection where needed. Call it inside a catch
  // block.
  [[nodiscard]] Status failure() noexcept;

  [[nodiscard]] bool usable() const;
  [[nodiscard]] int server_version() const;  // 150018 for 15.18
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  class Link;

  Rows perform(Statement statement, const Arguments& arguments);
  std::vector<Rows> perform_together(const std::vector<Step>& steps);
  void add_requests(const Step& step, std::vector<wire::Request>& requests);
  void require_committed(const Rows& rows);
  void prepare(Statement statement);
  [[nodiscard]] const std::string& text_of(Statement statement) const;
  [[nodiscard]] wire::Request request(Statement statement, const Arguments& arguments) const;
  void cut();
  [[nodiscard]] std::chrono::milliseconds timeout_of(Statement statement) const;

  const Options options_;
  std::unique_ptr<Link> link_;
  std::array<std::string, statement_count> texts_;  // prefix filled in
  std::array<bool, statement_count> prepared_{};
  std::array<std::vector<std::string>, 3>
      control_texts_;  // begin, commit, rollback: a pipeline takes one command at a time
  bool committing_ = false;
  bool poisoned_ = false;
};

}  // namespace storage::postgresql
