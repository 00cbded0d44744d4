// storage/sqlite/errors.h: SQLite's result codes → Reason. Pure.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "storage/status.h"

namespace storage::sqlite {

// A call of SQLite failed. code: the extended result code.
class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

// An operation refuses by itself (Admin); the sentence is for the operator.
class Refused : public std::runtime_error {
 public:
  Refused(Reason reason, const std::string& sentence) : std::runtime_error(sentence), reason_(reason) {}
  [[nodiscard]] Reason reason() const { return reason_; }

 private:
  Reason reason_;
};

struct Translation {
  Status status;
  bool poisoned = false;  // throw the connection away
};

// in_doubt: the fault came out of COMMIT and SQLite holds no open transaction any more.
[[nodiscard]] Translation translate(const std::exception_ptr& fault, bool in_doubt);

}  // namespace storage::sqlite
