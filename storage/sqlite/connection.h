// storage/sqlite/connection.h: one Session behind the door: whatever is thrown below ends here as a Status. One thread.
#pragma once

#include <memory>
#include <span>

#include "storage/driver.h"
#include "storage/sqlite/checkpointer.h"
#include "storage/sqlite/directory.h"
#include "storage/sqlite/session.h"
#include "storage/sqlite/store.h"

namespace storage::sqlite {

class Connection : public storage::Connection {
 public:
  // Opens the file; throws as Session does.
  Connection(const Options& options, std::shared_ptr<Checkpointer> checkpointer);
  ~Connection() override { checkpointer_->before_close(session_); }

  [[nodiscard]] Status resolve(std::span<const Address> in, std::span<Resolution> out) override;
  [[nodiscard]] Status store(std::span<const Delivery> batch, std::span<TargetOutcome> out) override;
  [[nodiscard]] Status settle(std::span<TargetOutcome> outcomes) override;
  [[nodiscard]] Status ping() override;
  [[nodiscard]] bool usable() const override { return session_.usable(); }

 private:
  template <typename Work>
  Status guarded(Work work);

  const std::shared_ptr<Checkpointer> checkpointer_;  // before session_, which reports to it
  Session session_;
  Store store_{session_};
  Directory directory_{session_};
};

}  // namespace storage::sqlite
