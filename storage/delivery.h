// storage/delivery.h: what crosses the door to a driver and back: addresses to look up, deliveries to store, outcomes.
// Plain values; a Delivery is move-only, so it is in one room at a time. Every type has a constructor that takes its fields by
// name or by default, because GCC 12.2 mishandles aggregates inside expressions with co_await (DECISIONS.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/message.h"
#include "storage/status.h"

namespace storage {

using UserId = std::int64_t;     // users.user_idnr
using MailboxId = std::int64_t;  // mailboxes.mailbox_idnr; 0: not known (yet)
using MessageId = std::int64_t;  // messages.message_idnr, the IMAP UID; 0: none

// A forward path as RCPT gave it, quoting removed, case kept, UTF-8. The domain may be empty (RCPT TO:<alice>).
class Address {
 public:
  Address() = default;
  Address(std::string local, std::string domain) : local(std::move(local)), domain(std::move(domain)) {}
  [[nodiscard]] std::string text() const { return domain.empty() ? local : local + "@" + domain; }
  friend bool operator==(const Address&, const Address&) = default;

  std::string local;
  std::string domain;
};

// Where one copy goes: a mailbox of a user.
class Target {
 public:
  Target() = default;
  Target(UserId user, std::string mailbox, MailboxId mailbox_id)
      : user(user), mailbox(std::move(mailbox)), mailbox_id(mailbox_id) {}
  friend bool operator==(const Target&, const Target&) = default;

  UserId user = 0;
  std::string mailbox;       // "INBOX" or the name that the address detail chose
  MailboxId mailbox_id = 0;  // 0: does not exist yet and shall be created (and subscribed) before the batch
};

// The answer to one Address. status is ok when at least one target is there.
class Resolution {
 public:
  Resolution() = default;
  Status status{Reason::unavailable};  // ok · no_such_mailbox · mailbox_disabled · over_quota · external_only · pipe_target · a failure
  std::vector<Target> targets;         // distinct
  std::vector<std::string> skipped;    // external or command targets left out, for the log
};

// One accepted message for all its local targets: one physmessage, one messages row per target.
class Delivery {
 public:
  Delivery(std::string sender, Message message, std::vector<Target> targets)
      : sender(std::move(sender)), message(std::move(message)), targets(std::move(targets)) {}
  Delivery(Delivery&&) = default;
  Delivery& operator=(Delivery&&) = default;
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  std::string sender;           // exactly as given in MAIL, without brackets; empty for <>
  Message message;
  std::vector<Target> targets;  // distinct mailboxes
  std::string salt;             // empty while redeliveries are recognised; else random, drawn once and kept over retries
};

// Identity of a copy: the digest in messages.unique_id, looked up inside one mailbox.
class StoredKey {
 public:
  StoredKey() = default;
  StoredKey(MailboxId mailbox, std::string unique_id) : mailbox(mailbox), unique_id(std::move(unique_id)) {}
  friend bool operator==(const StoredKey&, const StoredKey&) = default;

  MailboxId mailbox = 0;
  std::string unique_id;
};

// What became of one target. status ok: committed now; already_stored: was there; else refused.
class TargetOutcome {
 public:
  TargetOutcome() = default;
  explicit TargetOutcome(Status status) : status(std::move(status)) {}

  Status status{Reason::unavailable};
  StoredKey key;              // known as soon as the mailbox id is
  MessageId message_idnr = 0;
};

// messages.unique_id: the first 32 hex digits of SHA-256("lmtpd1" NUL sender NUL mailbox_idnr NUL content digest [NUL salt]).
// Part of the store's format: several daemons share a store, so it never changes.
[[nodiscard]] std::string unique_id(std::string_view sender, MailboxId mailbox, const Digest& content, std::string_view salt);

}  // namespace storage
