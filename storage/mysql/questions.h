// storage/mysql/questions.h: what a batch asks of the store: the keys of a look-up, and who takes its rows. Made once
// for prepared statements and for scripts alike. Keys view what they were made of, which must live until the answer is
// there, as must `out`.
#pragma once

#include <span>
#include <vector>

#include "storage/batch/tables.h"
#include "storage/mysql/session.h"
#include "storage/mysql/statement.h"
#include "storage/mysql/value.h"

namespace storage::mysql {

struct Question {
  const Statement& statement;
  std::vector<Value> keys;
  OnRow on_row;
};

// out[i] answers the i-th key; 0: nothing found. Contents are found by hash, then compared octet by octet.
[[nodiscard]] Question messages_question(std::span<const batch::MessageKey> keys, std::vector<MessageId>& out);
[[nodiscard]] Question parts_question(std::span<const batch::PartKey> keys, std::vector<batch::RowId>& out);
[[nodiscard]] Question values_question(std::span<const batch::ValueRow> rows, std::vector<batch::RowId>& out);

// Locks; out has the rows that exist, in ascending order like the ids.
[[nodiscard]] Question mailboxes_lock(std::span<const MailboxId> ascending, std::vector<batch::MailboxState>& out);
[[nodiscard]] Question users_lock(std::span<const UserId> ascending, std::vector<batch::UserState>& out);

}  // namespace storage::mysql
