// storage/postgresql/errors.h: what goes wrong on a connection, and what it means above the door. One table of
// SQLSTATEs (PostgreSQL manual, appendix A). Pure; any thread.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "storage/status.h"

namespace storage::postgresql {

// Thrown by wire and session. what(): "statement: SQLSTATE message", never a parameter's value.
class Error : public std::runtime_error {
 public:
  enum class Link { alive, lost };  // lost: the connection broke, or the answer did not come in time

  Error(std::string sqlstate, const std::string& message, Link link)
      : std::runtime_error(message), sqlstate_(std::move(sqlstate)), link_(link) {}

  // Five characters; empty when the client noticed the fault.
  [[nodiscard]] const std::string& sqlstate() const { return sqlstate_; }
  [[nodiscard]] bool connection_lost() const { return link_ == Link::lost; }
  // The same fault with the statement's name in front.
  [[nodiscard]] Error at(std::string_view statement) const {
    return Error(sqlstate_, std::string(statement) + ": " + what(), link_);
  }

 private:
  std::string sqlstate_;
  Link link_;
};

// A refusal by our own rules on the admin side ("exists already"): the reason is final, nothing is wrong with the
// connection.
class Refused : public std::runtime_error {
 public:
  Refused(Reason reason, const std::string& sentence) : std::runtime_error(sentence), reason_(reason) {}
  [[nodiscard]] Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

struct Verdict {
  Reason reason = Reason::internal;
  bool poisoned = false;  // the connection must be thrown away
};

// An empty sqlstate is a client-side fault: unavailable, poisoned.
[[nodiscard]] Verdict verdict_for(std::string_view sqlstate);

struct Translation {
  Status status;
  bool poisoned = false;
};

// committing: COMMIT was sent and no answer has been read; anything but a definite refusal of it is then in_doubt.
[[nodiscard]] Translation translate(const std::exception_ptr& fault, bool committing);

}  // namespace storage::postgresql
