// tests/support/mail_world.h: the users and aliases that dialogues and server tests speak of
// (tests/dialogues/README.md), and what their mailboxes hold afterwards. Through the admin door, so the same on every
// engine. Failures throw.
#pragma once

#include <string>
#include <vector>

#include "storage/admin.h"

namespace testing_support {

// alice, bob, carol; full (quota used up); off (not active). Userid is the name; NAME@example.test is an alias.
inline const std::vector<std::string> world_users = {"alice", "bob", "carol", "full", "off"};

// The users, and the aliases list (alice, bob), half (alice, full), fwd (external only), pipe (a command).
void populate(storage::Admin& admin);

// The octets of the messages of "alice" or "alice@example.test" without the Return-Path line, all mailboxes, in UID
// order.
[[nodiscard]] std::vector<std::string> messages_of(storage::Admin& admin, const std::string& user);

}  // namespace testing_support
