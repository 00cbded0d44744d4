#include <benchmark/benchmark.h>

#include <semaphore>
#include <thread>

#include "lmtpd/delivery/queue.h"

namespace {

using namespace lmtpd::delivery;

class Answer : public Completion<Outcome> {
 public:
  explicit Answer(std::binary_semaphore* answered) : answered_(answered) {}
  void complete(Outcome) noexcept override {
    if (answered_ != nullptr) answered_->release();
  }

 private:
  std::binary_semaphore* answered_;
};

void push(Queue& queue, std::binary_semaphore* answered) {
  storage::Delivery delivery("load@example.net", storage::Message(), {storage::Target(1, "INBOX", 1)});
  queue.push(std::move(delivery), Ticket(std::make_unique<Answer>(answered), 1, Reservation()));
}

void answer_all(Queue& queue, Batch& batch) {
  for (Ticket& ticket : batch.tickets) ticket.answer(storage::Status());
  queue.finish(batch);
}

// Without a change of thread: what the queue itself costs for a batch of so many.
void queue_batch(benchmark::State& state) {
  lmtpd::observe::Metrics metrics;
  Queue queue(Options(), 2, metrics);
  for (auto _ : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i) push(queue, nullptr);
    Batch batch = queue.take_batch();
    answer_all(queue, batch);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(queue_batch)->Arg(1)->Arg(10)->Arg(100);

// From one thread to a lane and back.
void queue_round_trip(benchmark::State& state) {
  lmtpd::observe::Metrics metrics;
  Queue queue(Options(), 1, metrics);
  std::thread lane([&queue] {
    for (Batch batch = queue.take_batch(); !batch.empty(); batch = queue.take_batch()) answer_all(queue, batch);
  });
  std::binary_semaphore answered(0);
  for (auto _ : state) {
    push(queue, &answered);
    answered.acquire();
  }
  queue.close();
  lane.join();
}
BENCHMARK(queue_round_trip)->UseRealTime();

}  // namespace
