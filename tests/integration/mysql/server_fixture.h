// tests/integration/mysql/server_fixture.h: a scratch store on the real server of the test run and small deliveries for
// it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/admin.h"
#include "storage/driver.h"
#include "storage/mysql/driver.h"
#include "storage/mysql/session.h"
#include "tests/support/scratch_db.h"
#include "tests/support/server_uri.h"

namespace storage::mysql {

class ServerTest : public testing::Test {
 protected:
  ServerTest() : store_(testing_support::Engine::mysql) {}

  [[nodiscard]] Options options() const { return store_.options(); }
  [[nodiscard]] testing_support::SqlClient& sql() { return store_.sql(); }

  [[nodiscard]] std::unique_ptr<storage::Connection> connect(const Options& options) {
    drivers_.push_back(std::make_unique<Driver>(options));
    std::unique_ptr<storage::Connection> connection;
    const Status status = drivers_.back()->connect(connection);
    EXPECT_TRUE(status.ok()) << status.detail();
    return connection;
  }

  // A user with an INBOX.
  [[nodiscard]] Target add_user(const std::string& name) {
    const auto door = admin();
    UserRecord user;
    user.userid = name;
    EXPECT_TRUE(door->add_user(user).ok());
    std::vector<MailboxRecord> mailboxes;
    EXPECT_TRUE(door->list_mailboxes(user.id, mailboxes).ok());
    return Target(user.id, "INBOX", mailboxes.at(0).id);
  }

  // Two parts: "Subject: <subject>" and body. The hashes tell contents apart; that is all the store asks of them.
  [[nodiscard]] static Delivery delivery(const std::string& subject, std::string body, std::vector<Target> targets) {
    Message message;
    const std::string header = "Subject: " + subject + "\n";
    message.parts.push_back(
        {1, 0, 0, true, {0, header.size()}, "h" + std::to_string(std::hash<std::string>{}(header))});
    message.parts.push_back(
        {1, 0, 1, false, {header.size(), body.size()}, "b" + std::to_string(std::hash<std::string>{}(body))});
    message.headers.push_back({"subject", subject, subject.substr(0, 250), std::nullopt,
                               "v" + std::to_string(std::hash<std::string>{}(subject))});
    message.envelope = "(NIL \"" + subject + "\" NIL NIL NIL NIL NIL NIL NIL NIL)";
    message.internal_date = "2024-02-29 23:59:59";
    message.message_size = header.size() + body.size() + 1;
    message.rfc_size = message.message_size + 20;
    const std::size_t digest = std::hash<std::string>{}(header + body);
    for (std::size_t i = 0; i < sizeof digest; ++i)
      message.content_digest[i] = static_cast<unsigned char>(digest >> (8 * i));
    message.text = header + std::move(body);
    return Delivery("sender@example.org", std::move(message), std::move(targets));
  }

  [[nodiscard]] std::unique_ptr<storage::Admin> admin() {
    drivers_.push_back(std::make_unique<Driver>(options()));
    std::unique_ptr<storage::Admin> admin;
    const Status status = drivers_.back()->open_admin(admin);
    EXPECT_TRUE(status.ok()) << status.detail();
    return admin;
  }

  [[nodiscard]] static Status store(storage::Connection& connection, Delivery one, std::vector<TargetOutcome>& out) {
    out.assign(one.targets.size(), TargetOutcome());
    return connection.store(std::span(&one, 1), out);
  }

  testing_support::ScratchStore store_;
  std::vector<std::unique_ptr<Driver>> drivers_;  // outlive their connections
};

}  // namespace storage::mysql
