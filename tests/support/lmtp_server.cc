#include "tests/support/lmtp_server.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <mutex>
#include <stdexcept>

#include "storage/admin.h"
#include "tests/support/mail_world.h"

namespace testing_support {
namespace {

class TextSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  TextSink(std::ostringstream& text, std::mutex& mutex, std::string fault)
      : text_(text), text_mutex_(mutex), fault_(std::move(fault)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string_view payload(message.payload.data(), message.payload.size());
    if (!fault_.empty() && payload.find(fault_) != std::string_view::npos) throw std::runtime_error("injected");
    const std::lock_guard lock(text_mutex_);
    const auto level = spdlog::level::to_string_view(message.level);
    text_ << std::string_view(level.data(), level.size()) << ' '
          << std::string_view(message.payload.data(), message.payload.size()) << '\n';
  }
  void flush_() override {}

  std::ostringstream& text_;
  std::mutex& text_mutex_;
  const std::string fault_;
};

void require(const storage::Status& status) {
  if (!status.ok()) throw std::runtime_error("test store: " + status.detail());
}

}  // namespace

LmtpServer::Settings::Settings() {
  server.hostname = "mx.example.test";
  server.io_threads = 2;
  delivery.unavailable_retry = std::chrono::seconds(1);
}

LmtpServer::LmtpServer(Settings settings) : memory_(store_, settings.storage) {
  add_users();
  auto sink = std::make_shared<TextSink>(log_text_, log_mutex_, settings.log_fault);
  auto logger = std::make_shared<spdlog::logger>("test", sink);
  logger->set_level(spdlog::level::debug);
  logger->set_error_handler([](const std::string& what) { throw std::runtime_error(what); });
  mail_log_ = std::make_unique<lmtpd::observe::MailLog>(logger, lmtpd::observe::LogFormat::text, metrics_);
  storage::Driver* driver = settings.wrap ? settings.wrap(memory_) : &memory_;
  if (settings.plan) {
    faulty_ = std::make_unique<FaultyDriver>(*driver, settings.plan);
    driver = faulty_.get();
  }
  pipeline_ = std::make_unique<lmtpd::delivery::Pipeline>(*driver, settings.delivery, storage::PoolOptions(), metrics_);
  if (settings.server.listen.empty()) settings.server.listen = {"unix:" + folder_.path() + "/s"};
  server_ = std::make_unique<lmtpd::server::Server>(settings.server, *pipeline_, metrics_, *mail_log_);
  thread_ = std::thread([this] { server_->run(); });
}

LmtpServer::~LmtpServer() {
  finish();
  server_.reset();
  pipeline_->drain(std::chrono::steady_clock::now() + std::chrono::seconds(60));
}

void LmtpServer::finish() {
  server_->begin_drain();
  if (thread_.joinable()) thread_.join();
}

void LmtpServer::add_users() {
  std::unique_ptr<storage::Admin> admin;
  require(memory_.open_admin(admin));
  populate(*admin);
}

LmtpClient LmtpServer::client() {
  LmtpClient client(address());
  const std::string greeting = client.reply();
  if (greeting.rfind("220 ", 0) != 0) throw std::runtime_error("no greeting: " + greeting);
  return client;
}

LmtpClient LmtpServer::greeted() {
  LmtpClient connected = client();
  connected.ask("LHLO client.example.test");
  return connected;
}

std::vector<std::string> LmtpServer::messages(const std::string& user) {
  std::unique_ptr<storage::Admin> admin;
  require(memory_.open_admin(admin));
  return messages_of(*admin, user);
}

std::size_t LmtpServer::stored() {
  const auto lock = store_.lock();
  return store_.messages.size();
}

std::string LmtpServer::log() {
  const std::lock_guard lock(log_mutex_);
  return log_text_.str();
}

bool LmtpServer::logged(std::string_view text) {
  for (int i = 0; i < 6000; ++i) {
    if (log().find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace testing_support
