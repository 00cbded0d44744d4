#include "lmtpd/observe/log_setup.h"

#include <fcntl.h>
#include <pthread.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/syslog_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "lmtpd/observe/log_field.h"

namespace lmtpd::observe {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string_view word_for(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return "error";
  if (level == spdlog::level::warn) return "warning";
  return level == spdlog::level::info ? "info" : "debug";
}

// RFC 3339 in UTC with milliseconds.
std::string time_text(spdlog::log_clock::time_point time) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(milliseconds % 1000));
  return text;
}

// Text: "time level line"; JSON: one object with "time" and "level" in front. Lines of other loggers than the mail log
// are free text, perhaps with words from outside in it: they are escaped here.
class LineFormatter final : public spdlog::formatter {
 public:
  LineFormatter(LogFormat format, bool with_time) : format_(format), with_time_(with_time) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const std::string_view payload(message.payload.data(), message.payload.size());
    const bool mail = std::string_view(message.logger_name.data(), message.logger_name.size()) == mail_logger_name;
    const std::string line = format_ == LogFormat::json ? json(message, payload, mail) : text(message, payload, mail);
    out.append(line.data(), line.data() + line.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_, with_time_);
  }

 private:
  std::string text(const spdlog::details::log_msg& message, std::string_view payload, bool mail) const {
    std::string line;
    if (with_time_) line.append(time_text(message.time)).append(" ").append(word_for(message.level)).append(" ");
    if (mail) {
      line += payload;
    } else {
      append_escaped(line, payload, format_);
    }
    if (with_time_) line += '\n';  // syslog ends lines itself
    return line;
  }

  std::string json(const spdlog::details::log_msg& message, std::string_view payload, bool mail) const {
    std::string line = "{\"time\":\"" + time_text(message.time) + "\",\"level\":\"";
    line.append(word_for(message.level)).append("\",");
    if (mail) {
      line += payload.substr(1);  // its own "{" goes
    } else {
      line += "\"message\":\"";
      append_escaped(line, payload, format_);
      line += "\"}";
    }
    if (with_time_) line += '\n';
    return line;
  }

  const LogFormat format_;
  const bool with_time_;
};

// Appends each line with one write(), so that several processes and logrotate's copytruncate can share the file.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // An empty path: standard error.
  explicit DescriptorSink(std::string path) : path_(std::move(path)), descriptor_(STDERR_FILENO) {
    if (path_.empty()) return;
    descriptor_ = open_file();
    if (descriptor_ < 0) throw std::runtime_error("cannot open the log file " + path_ + ": " + std::strerror(errno));
  }
  ~DescriptorSink() override {
    if (!path_.empty()) ::close(descriptor_);
  }

  bool reopen() {
    if (path_.empty()) return true;
    const int fresh = open_file();
    if (fresh < 0) return false;
    const std::lock_guard lock(mutex_);
    ::close(std::exchange(descriptor_, fresh));
    return true;
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const char* next = line.data();
    std::size_t left = line.size();
    while (left > 0) {
      const ssize_t written = ::write(descriptor_, next, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // disk full: there is no better place to complain
      next += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  void flush_() override {}

 private:
  int open_file() const { return ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640); }

  const std::string path_;
  int descriptor_;
};

}  // namespace

class Log::Impl {
 public:
  explicit Impl(const LogOptions& options) {
    const bool syslog = options.sink == LogSink::syslog;
    if (syslog) {
      sink_ = std::make_shared<spdlog::sinks::syslog_sink_mt>(options.syslog_name, LOG_PID, LOG_MAIL, true);
    } else {
      file_ = std::make_shared<DescriptorSink>(options.sink == LogSink::file ? options.file : std::string());
      sink_ = file_;
    }
    sink_->set_formatter(std::make_unique<LineFormatter>(options.format, !syslog));
    sink_->set_level(spdlog_level(options.level));
    threads_ = std::make_shared<spdlog::details::thread_pool>(
        options.queue_lines, 1, [] { pthread_setname_np(pthread_self(), "log"); });
    const auto policy = options.overflow == LogOverflow::block ? spdlog::async_overflow_policy::block
                                                               : spdlog::async_overflow_policy::overrun_oldest;
    logger = std::make_shared<spdlog::async_logger>("lmtpd", sink_, threads_, policy);
    logger->set_level(
        spdlog::level::debug);  // the sink decides: its level can change while clones of the logger are in use
  }

  bool reopen() { return file_ == nullptr || file_->reopen(); }
  void set_level(LogLevel level) { sink_->set_level(spdlog_level(level)); }
  std::size_t dropped() { return threads_->overrun_counter(); }

  std::shared_ptr<spdlog::logger> logger;

 private:
  spdlog::sink_ptr sink_;
  std::shared_ptr<DescriptorSink> file_;  // null: syslog
  std::shared_ptr<spdlog::details::thread_pool> threads_;
};

Log::Log(const LogOptions& options) : impl_(std::make_unique<Impl>(options)), logger_(impl_->logger) {}
Log::~Log() = default;

bool Log::reopen() {
  return impl_->reopen();
}
void Log::set_level(LogLevel level) {
  impl_->set_level(level);
}
std::size_t Log::dropped() const {
  return impl_->dropped();
}

}  // namespace lmtpd::observe
