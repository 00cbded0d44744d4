// lmtpd/delivery/completion.h: how an answer leaves a lane or look-up thread without that thread knowing about
// coroutines. pipeline.cc makes the only one of the daemon (it posts back to the awaiting coroutine's executor); tests
// make their own.
#pragma once

namespace lmtpd::delivery {

template <class Result>
class Completion {
 public:
  virtual ~Completion() = default;
  // Called exactly once, on any thread, with no lock held; must not block. An answer that cannot be handed back ends
  // the process: the session would wait for ever.
  virtual void complete(Result result) noexcept = 0;
};

}  // namespace lmtpd::delivery
