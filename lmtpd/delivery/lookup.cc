#include "lmtpd/delivery/lookup.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace lmtpd::delivery {
namespace {

using storage::Address;
using storage::Instant;
using storage::Reason;
using storage::Resolution;
using storage::Status;

constexpr std::size_t most_addresses = 256;  // in one call
constexpr int most_tries = 3;

// Failures all mean "don't know" to RCPT.
Status as_answer(const Status& status) {
  return is_failure(status.reason()) ? Status(Reason::unavailable, status.detail()) : status;
}

struct ByText {
  bool operator()(const Address* a, const Address* b) const {
    return std::tie(a->local, a->domain) < std::tie(b->local, b->domain);
  }
};

}  // namespace

Lookup::Lookup(storage::Pool& connections, const Options& options, observe::Metrics& metrics, storage::Clock& clock)
    : connections_(connections), options_(options), metrics_(metrics), clock_(clock), cache_(options) {}

void Lookup::ask(std::vector<Address> addresses, std::unique_ptr<Completion<Resolutions>> done) {
  metrics_.lookups_asked.add(addresses.size());
  Question question;
  question.answers.resize(addresses.size());
  question.addresses = std::move(addresses);
  question.done = std::move(done);
  const bool down = connections_.down_for() >= options_.outage_tolerance;
  {
    const std::lock_guard lock(mutex_);
    const Instant now = clock_.now();
    for (std::size_t i = 0; i < question.addresses.size(); ++i) {
      if (const Resolution* known = cache_.find(question.addresses[i], now)) {
        question.answers[i] = *known;
      } else {
        question.unknown.push_back(i);
      }
    }
    metrics_.lookups_cached.add(question.addresses.size() - question.unknown.size());
    if (!question.unknown.empty() && !down && !closed_) {
      question.deadline = now + options_.lookup_deadline;
      waiting_.push_back(std::move(question));
      changed_.notify_one();
      return;
    }
  }
  if (!question.unknown.empty()) {
    metrics_.lookup_failures.add(question.unknown.size());
    fail(question, Status(Reason::unavailable, down ? "the store is down" : "shutting down"));
  }
  question.done->complete(std::move(question.answers));
}

void Lookup::fail(Question& question, const Status& status) {
  for (const std::size_t i : question.unknown) question.answers[i].status = status;
}

void Lookup::run() {
  Group group;
  while (take_group(group)) {
    Distinct distinct = distinct_addresses(group);
    try {
      resolve(distinct.addresses, distinct.answers, group.questions.front()->deadline);
    } catch (const std::exception& error) {
      for (Resolution& answer : distinct.answers) answer.status = Status(Reason::unavailable, error.what());
    }
    answer_group(group, distinct);
  }
}

bool Lookup::take_group(Group& group) {
  group.questions.clear();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
  if (closed_) return false;
  group.forgotten = forgotten_;
  std::size_t addresses = 0;
  while (!waiting_.empty() &&
         (group.questions.empty() || addresses + waiting_.front().unknown.size() <= most_addresses)) {
    addresses += waiting_.front().unknown.size();
    taken_.splice(taken_.end(), waiting_, waiting_.begin());
    group.questions.push_back(std::prev(taken_.end()));
  }
  if (!waiting_.empty()) changed_.notify_one();
  return true;
}

Lookup::Distinct Lookup::distinct_addresses(const Group& group) const {
  std::map<const Address*, std::size_t, ByText> seen;
  Distinct distinct;
  for (const auto& question : group.questions) {
    for (const std::size_t i : question->unknown) {
      const Address& address = question->addresses[i];
      if (seen.emplace(&address, seen.size()).second) distinct.addresses.push_back(address);
    }
  }
  distinct.answers.resize(distinct.addresses.size());
  return distinct;
}

void Lookup::answer_group(const Group& group, const Distinct& distinct) {
  std::map<const Address*, const Resolution*, ByText> answers;
  for (std::size_t i = 0; i < distinct.addresses.size(); ++i) answers[&distinct.addresses[i]] = &distinct.answers[i];
  std::vector<Question> answered;
  {
    const std::lock_guard lock(mutex_);
    const Instant now = clock_.now();
    const bool current = group.forgotten == forgotten_;
    for (const auto& [address, resolution] : answers) {
      if (current) cache_.put(*address, *resolution, now);
    }
    for (const auto& question : group.questions) {
      answered.push_back(std::move(*question));
      taken_.erase(question);
    }
  }
  for (Question& question : answered) {
    if (question.done == nullptr) continue;  // expire() was faster
    for (const std::size_t i : question.unknown) {
      question.answers[i] = *answers.at(&question.addresses[i]);
      if (is_failure(question.answers[i].status.reason())) metrics_.lookup_failures.add();
    }
    question.done->complete(std::move(question.answers));
  }
}

void Lookup::resolve(std::span<const Address> in, std::span<Resolution> out, Instant deadline) {
  const Status status = resolve_once(in, out, deadline);
  if (status.ok()) {
    for (Resolution& answer : out) answer.status = as_answer(answer.status);
    return;
  }
  const bool world = status.reason() == Reason::unavailable || status.reason() == Reason::busy;
  if (world || in.size() == 1) {
    for (Resolution& answer : out) {
      answer = Resolution();
      answer.status = Status(Reason::unavailable, status.detail());
    }
    return;
  }
  const std::size_t half = in.size() / 2;
  resolve(in.first(half), out.first(half), deadline);
  resolve(in.subspan(half), out.subspan(half), deadline);
}

Status Lookup::resolve_once(std::span<const Address> in, std::span<Resolution> out, Instant deadline) {
  Status status;
  for (int tries = 0; tries < most_tries; ++tries) {
    storage::Lease lease;
    Status reached = connections_.lease({deadline, options_.outage_tolerance}, lease);
    if (!reached.ok()) return Status(Reason::unavailable, reached.detail());
    metrics_.lookup_calls.add();
    status = lease->resolve(in, out);
    const bool again = status.reason() == Reason::unavailable || status.reason() == Reason::conflict;
    if (status.reason() == Reason::unavailable) lease.discard();
    if (!again) return status;
  }
  return status;
}

void Lookup::expire(Instant now) {
  std::vector<Question> late;
  {
    const std::lock_guard lock(mutex_);
    while (!waiting_.empty() && now >= waiting_.front().deadline) {
      late.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    for (Question& question : taken_) {
      if (question.done == nullptr || now < question.deadline) continue;
      Question answer;  // addresses and unknown stay for the look-up thread
      answer.unknown = question.unknown;
      answer.answers = std::move(question.answers);
      answer.done = std::move(question.done);
      late.push_back(std::move(answer));
    }
  }
  for (Question& question : late) {
    metrics_.lookup_failures.add(question.unknown.size());
    fail(question, Status(Reason::unavailable, "the look-up took too long"));
    question.done->complete(std::move(question.answers));
  }
}

void Lookup::forget() {
  const std::lock_guard lock(mutex_);
  cache_.clear();
  ++forgotten_;
}

void Lookup::close() {
  Questions left;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    left.swap(waiting_);
    changed_.notify_all();
  }
  for (Question& question : left) {
    fail(question, Status(Reason::unavailable, "shutting down"));
    question.done->complete(std::move(question.answers));
  }
}

}  // namespace lmtpd::delivery
