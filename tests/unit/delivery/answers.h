// tests/unit/delivery/answers.h: where the outcomes of a test's tickets arrive: how often each was answered, and with
// what. Any thread.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "lmtpd/delivery/completion.h"
#include "lmtpd/delivery/ticket.h"

namespace lmtpd::delivery {

template <class Result>
class Answers {
 public:
  // REQUIRES this object outlives the completion.
  std::unique_ptr<Completion<Result>> completion(int number) { return std::make_unique<Arrival>(*this, number); }
  Ticket ticket(int number, int targets = 1, Reservation held = {}) {
    return Ticket(completion(number), static_cast<std::size_t>(targets), std::move(held));
  }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
  }
  std::map<int, std::vector<Result>> all() {
    const std::lock_guard lock(mutex_);
    return results_;
  }
  // The one answer to that number. Throws std::out_of_range if there is none.
  Result at(int number) {
    const std::lock_guard lock(mutex_);
    return results_.at(number).at(0);
  }
  // Numbers in the order of their answers.
  std::vector<int> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  class Arrival final : public Completion<Result> {
   public:
    Arrival(Answers& answers, int number) : answers_(answers), number_(number) {}
    void complete(Result result) noexcept override { answers_.arrive(number_, std::move(result)); }

   private:
    Answers& answers_;
    int number_;
  };

  void arrive(int number, Result result) {
    const std::lock_guard lock(mutex_);
    results_[number].push_back(std::move(result));
    order_.push_back(number);
    ++count_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::vector<Result>> results_;
  std::vector<int> order_;
  std::size_t count_ = 0;
};

// The reason of each target of an outcome.
inline std::vector<storage::Reason> reasons(const Outcome& outcome) {
  std::vector<storage::Reason> list;
  for (const auto& target : outcome.targets) list.push_back(target.status.reason());
  return list;
}

}  // namespace lmtpd::delivery
