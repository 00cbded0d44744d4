#include "lmtpd/server/sweeper.h"

#include <algorithm>

namespace lmtpd::server {
namespace {

constexpr std::chrono::milliseconds grace{1000};

void cancel(Socket& socket) {
  boost::system::error_code ignored;
  socket.cancel(ignored);
}

}  // namespace

void Sweeper::add(Deadline& deadline) {
  deadline.index_ = deadlines_.size();
  deadlines_.push_back(&deadline);
  schedule();
}

void Sweeper::remove(Deadline& deadline) {
  deadlines_.back()->index_ = deadline.index_;
  std::swap(deadlines_[deadline.index_], deadlines_.back());
  deadlines_.pop_back();
  if (deadlines_.empty()) timer_.cancel();  // an idle thread has nothing to wake up for, a draining one may end
}

void Sweeper::schedule() {
  if (scheduled_) return;
  scheduled_ = true;
  timer_.expires_after(tick_);
  timer_.async_wait([this](const boost::system::error_code&) {
    scheduled_ = false;
    if (deadlines_.empty()) return;
    sweep();
    schedule();
  });
}

void Sweeper::sweep() {
  const Clock::time_point now = Clock::now();
  for (Deadline* deadline : deadlines_) {
    if (!deadline->armed_ || deadline->at_ > now) continue;
    deadline->armed_ = false;
    deadline->expired_ = true;
    cancel(deadline->socket_);
  }
}

void Sweeper::wake_all() {
  for (Deadline* deadline : deadlines_) {
    deadline->woken_ = true;
    cancel(deadline->socket_);
  }
}

void Sweeper::end_at(Clock::time_point end) {
  end_ = end;
  for (Deadline* deadline : deadlines_) deadline->at_ = std::min(deadline->at_, end);
}

Clock::time_point Sweeper::latest(std::chrono::milliseconds timeout) const {
  const Clock::time_point now = Clock::now();
  return std::max(std::min(now + timeout, end_), std::min(now + grace, now + timeout));
}

Deadline::Deadline(Sweeper& sweeper, Socket& socket) : sweeper_(sweeper), socket_(socket) {
  sweeper_.add(*this);
}

Deadline::~Deadline() {
  sweeper_.remove(*this);
}

void Deadline::arm(std::chrono::milliseconds timeout) {
  at_ = sweeper_.latest(timeout);
  armed_ = true;
  expired_ = false;
}

}  // namespace lmtpd::server
