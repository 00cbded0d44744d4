// tests/support/lmtp_server.h: the whole daemon below main in this process: server, pipeline and the memory store, on a
// socket in a scratch folder, with the users and aliases of mail_world.h. The log is kept as text.
#pragma once

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "lmtpd/delivery/options.h"
#include "lmtpd/delivery/pipeline.h"
#include "lmtpd/observe/mail_log.h"
#include "lmtpd/observe/metrics.h"
#include "lmtpd/server/options.h"
#include "lmtpd/server/server.h"
#include "storage/memory/driver.h"
#include "storage/memory/store.h"
#include "tests/support/faulty_driver.h"
#include "tests/support/lmtp_client.h"
#include "tests/support/scratch_folder.h"

namespace testing_support {

class LmtpServer {
 public:
  struct Settings {
    lmtpd::server::Options server;  // listen: the scratch socket is added when it is empty
    lmtpd::delivery::Options delivery;
    storage::Options storage;
    CallPlan plan;  // empty: no faults
    std::function<storage::Driver*(storage::Driver&)>
        wrap;               // another driver around the memory driver, owned by the test
    std::string log_fault;  // a log line that holds this text throws out of the logging call
    Settings();
  };

  explicit LmtpServer(Settings settings = Settings());
  ~LmtpServer();  // drains
  LmtpServer(const LmtpServer&) = delete;
  LmtpServer& operator=(const LmtpServer&) = delete;

  [[nodiscard]] lmtpd::server::Server& server() { return *server_; }
  [[nodiscard]] lmtpd::observe::Metrics& metrics() { return metrics_; }
  [[nodiscard]] std::string address(std::size_t i = 0) const { return server_->addresses().at(i); }
  [[nodiscard]] std::uint64_t driver_calls() const { return faulty_ ? faulty_->calls() : 0; }

  // Connected, the greeting read; greeted: LHLO said, too.
  [[nodiscard]] LmtpClient client();
  [[nodiscard]] LmtpClient greeted();

  // Ends the server as SIGTERM does, and waits for its end.
  void begin_drain() { server_->begin_drain(); }
  void finish();

  // The exported octets of the user's messages, without the Return-Path line, in UID order.
  [[nodiscard]] std::vector<std::string> messages(const std::string& user);
  [[nodiscard]] std::size_t stored();  // in all mailboxes
  [[nodiscard]] std::string log();     // so far
  // Waits until the log holds the text; false after a minute.
  [[nodiscard]] bool logged(std::string_view text);

 private:
  void add_users();

  ScratchFolder folder_;
  storage::memory::Store store_;
  storage::memory::Driver memory_;
  std::unique_ptr<FaultyDriver> faulty_;
  std::ostringstream log_text_;
  std::mutex log_mutex_;
  lmtpd::observe::Metrics metrics_;
  std::unique_ptr<lmtpd::observe::MailLog> mail_log_;
  std::unique_ptr<lmtpd::delivery::Pipeline> pipeline_;
  std::unique_ptr<lmtpd::server::Server> server_;
  std::thread thread_;
};

}  // namespace testing_support
