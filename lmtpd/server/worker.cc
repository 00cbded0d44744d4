#include "lmtpd/server/worker.h"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace lmtpd::server {

Worker::Worker(const Limits& limits) : work_(context_.get_executor()), sweeper_(context_) {
  adopt(std::make_shared<const Limits>(limits));
}

void Worker::adopt(std::shared_ptr<const Limits> limits) {
  using std::chrono::milliseconds;
  limits_ = std::move(limits);
  const milliseconds shortest = std::min({limits_->idle, limits_->data_idle, limits_->data_total, limits_->drain});
  sweeper_.set_tick(std::clamp(shortest / 8, milliseconds(5), milliseconds(1000)));
}

void Worker::set_limits(const Limits& limits) {
  auto shared = std::make_shared<const Limits>(limits);
  boost::asio::post(context_, [this, shared = std::move(shared)]() mutable { adopt(std::move(shared)); });
}

void Worker::begin_drain() {
  boost::asio::post(context_, [this] {
    draining_ = true;
    sweeper_.end_at(Clock::now() + limits_->drain);
    sweeper_.wake_all();
    stop_if_drained();
  });
}

void Worker::session_ends() {
  sessions_.fetch_sub(1, std::memory_order_relaxed);
  stop_if_drained();
}

void Worker::stop_if_drained() {
  if (draining_ && sessions() == 0) work_.reset();
}

}  // namespace lmtpd::server
