// storage/mysql/connection.h: the door's Connection on this engine. Translates everything that is thrown below it into
// a Status, rolls back, and tells when the connection is of no use any more. One thread at a time. Only destruction
// disconnects.
#pragma once

#include <span>

#include "storage/driver.h"
#include "storage/mysql/directory.h"
#include "storage/mysql/endpoint.h"
#include "storage/mysql/errors.h"
#include "storage/mysql/session.h"
#include "storage/mysql/store.h"

namespace storage::mysql {

class Connection final : public storage::Connection {
 public:
  // Connects; throws what Session throws. options must outlive the connection.
  Connection(const Endpoint& endpoint, const Options& options);

  [[nodiscard]] Status resolve(std::span<const Address> in, std::span<Resolution> out) override;
  [[nodiscard]] Status store(std::span<const Delivery> batch, std::span<TargetOutcome> out) override;
  [[nodiscard]] Status settle(std::span<TargetOutcome> outcomes) override;
  [[nodiscard]] Status ping() override;
  [[nodiscard]] bool usable() const override { return usable_; }

 private:
  // Called in a catch block: rolls back, judges the connection.
  [[nodiscard]] Status failed();

  const Options& options_;
  Session session_;
  Store store_;
  Directory directory_;
  bool usable_ = true;
};

}  // namespace storage::mysql
