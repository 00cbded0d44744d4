// lmtpd/ctl/session.h: what every command of lmtpctl works with: the store's second door, where output goes, and how a command ends.
// One thread.
#pragma once

#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "storage/admin.h"
#include "storage/driver.h"

namespace lmtpd::ctl {

// Exit statuses, as lmtpctl's help says.
inline constexpr int exit_yes = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_usage = 2;

// Ends a command: a sentence for stderr and an exit status.
class Refused : public std::runtime_error {
 public:
  explicit Refused(const std::string& sentence, int exit_status = exit_no)
      : std::runtime_error(sentence), exit_status_(exit_status) {}
  [[nodiscard]] int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

class Session {
 public:
  // REQUIRES the streams outlive the session. Opens nothing yet.
  Session(std::unique_ptr<storage::Driver> driver, std::istream& in, std::ostream& out, std::ostream& err);
  ~Session();

  bool json = false;        // --json
  std::string store_file;   // of SQLite; empty: the store is a server
  std::string server_user;  // server.user

  [[nodiscard]] storage::Driver& driver() { return *driver_; }
  // Connects at the first call. Throws Refused when the store cannot be reached.
  [[nodiscard]] storage::Admin& admin();
  // Throws Refused with the sentence in status unless it is ok.
  static void require(const storage::Status& status);
  // The user of that name or id; throws Refused: no such user.
  [[nodiscard]] storage::UserRecord user(std::string_view userid);
  // The user's mailbox of that name (compared without case); throws Refused.
  [[nodiscard]] storage::MailboxRecord mailbox(const storage::UserRecord& user, std::string_view name);

  [[nodiscard]] std::istream& in() { return in_; }
  [[nodiscard]] std::ostream& out() { return out_; }
  // One sentence on stderr that does not end the command.
  void warn(std::string_view sentence);
  // One JSON document and a line end on the output; bytes that are no UTF-8 are replaced.
  void print(const nlohmann::json& document);

 private:
  std::unique_ptr<storage::Driver> driver_;
  std::unique_ptr<storage::Admin> admin_;
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace lmtpd::ctl
