// tests/integration/postgresql/database.h: a database of its own for each test, on the test server, with a fresh
// schema. Dropped at the end. White box: it hands out Sessions, below the door.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "storage/postgresql/session.h"
#include "storage/postgresql/store.h"

namespace storage::postgresql {

class Database : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Options for a new connection to the test's database; no lock is given up within a test that does not say so.
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::unique_ptr<Session> connect() const { return std::make_unique<Session>(options_); }

  // One statement from outside, on a connection of its own, as an administrator would; the first column of the first
  // row, as text.
  std::string sql(const std::string& statement) const;

  // A user with an INBOX; returns the mailbox.
  MailboxId add_mailbox(const std::string& userid) const;

  Options options_;

 private:
  std::string name_;
  std::string server_uri_;
};

}  // namespace storage::postgresql
