// lmtpd/observe/log_setup.h: where log lines go. Built once in main, before any thread of ours; hands out the one
// logger. The sink is written by one background thread, so that a slow disk or syslog does not hold an I/O thread until
// the queue is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lmtpd/observe/mail_log.h"

namespace lmtpd::observe {

enum class LogSink : std::uint8_t { standard_error, file, syslog };
enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogOverflow : std::uint8_t {
  block,        // a full queue holds the logging thread: no line is lost
  drop_oldest,  // a full queue loses its oldest line
};

struct LogOptions {
  LogSink sink = LogSink::standard_error;
  std::string file;                   // sink file: absolute path, appended to, created with mode 0640
  std::string syslog_name = "lmtpd";  // sink syslog: facility mail
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::size_t queue_lines = 8192;
  LogOverflow overflow = LogOverflow::block;
};

class Log {
 public:
  // Throws std::runtime_error with a sentence when the file cannot be opened.
  explicit Log(const LogOptions& options);
  ~Log();  // writes what is queued
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] std::shared_ptr<spdlog::logger> logger() const { return logger_; }

  // SIGHUP, control thread: opens the file again under its name (after logrotate moved it). False, and the old file
  // stays in use, when that fails. True for other sinks.
  [[nodiscard]] bool reopen();
  void set_level(LogLevel level);
  // Lines lost to drop_oldest since the start.
  [[nodiscard]] std::size_t dropped() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace lmtpd::observe
