// tests/contract/query_shapes.h: the query shapes of schema/README.md section 9, as statements that can be explained.
// Written for this test in each engine's way; what is tested is that the indexes answer such questions.
#pragma once

#include <string>
#include <vector>

#include "tests/support/sql_client.h"

namespace testing_support {

struct QueryShape {
  std::string id;  // of the table in schema/README.md
  std::string sql;
  std::vector<std::string> scans = {};  // large tables that the engine reads whole all the same, whatever the indexes
};

// lower(column) where the engine compares so; the column itself on MySQL, whose collation ignores case.
inline std::string caseless(Engine engine, const std::string& column) {
  return engine == Engine::mysql ? column : "lower(" + column + ")";
}

inline std::vector<QueryShape> reader_shapes(Engine engine) {
  const std::string uids =
      " WHERE dbmail_messages.mailbox_idnr = 7 AND dbmail_messages.message_idnr BETWEEN 130 AND 139";
  const std::string visible = " WHERE dbmail_messages.mailbox_idnr = 7 AND dbmail_messages.status < 2";
  const std::string headers =
      " FROM dbmail_messages JOIN dbmail_header ON dbmail_header.physmessage_id = dbmail_messages.physmessage_id"
      " JOIN dbmail_headername ON dbmail_headername.id = dbmail_header.headername_id"
      " JOIN dbmail_headervalue ON dbmail_headervalue.id = dbmail_header.headervalue_id";
  const std::string name_is =
      engine == Engine::postgresql ? "lower(dbmail_headername.headername)" : "dbmail_headername.headername";
  const std::string count = "SELECT count(*) FROM dbmail_messages" + visible;
  std::vector<QueryShape> shapes = {
      {"R1",
       "SELECT message_idnr, messagesize, internal_date FROM dbmail_messages LEFT JOIN dbmail_physmessage"
       " ON dbmail_physmessage.id = dbmail_messages.physmessage_id" +
           visible + " ORDER BY message_idnr"},
      {"R2", count},
      {"R2", count + " AND seen_flag = 1"},
      {"R2", count + " AND recent_flag = 1"},
      {"R2", "SELECT max(message_idnr) + 1 FROM dbmail_messages WHERE mailbox_idnr = 7"},
      {"R3",
       "SELECT dbmail_messages.message_idnr, keyword FROM dbmail_messages JOIN dbmail_keywords"
       " ON dbmail_keywords.message_idnr = dbmail_messages.message_idnr" +
           visible},
      {"R4", "SELECT mailbox_idnr FROM dbmail_mailboxes WHERE owner_idnr = 17 AND name LIKE 'inbox'"},
      {"R4", "SELECT mailbox_id FROM dbmail_subscription WHERE user_id = 17"},
      {"R4", "SELECT mailbox_id FROM dbmail_acl WHERE user_id = 17"},
      {"R5",
       "SELECT data FROM dbmail_partlists LEFT JOIN dbmail_mimeparts ON dbmail_mimeparts.id = dbmail_partlists.part_id"
       " WHERE physmessage_id = 130 ORDER BY part_key, part_order, part_depth DESC"},
      {"R6",
       "SELECT message_idnr, envelope FROM dbmail_messages LEFT JOIN dbmail_envelope"
       " ON dbmail_envelope.physmessage_id = dbmail_messages.physmessage_id" +
           uids},
      {"R7", "SELECT message_idnr, headervalue" + headers + uids + " AND " + name_is + " IN ('subject', 'from')"},
      {"R8", "SELECT message_idnr" + headers + visible + " AND " + name_is + " = 'subject' AND " +
                 (engine == Engine::postgresql ? "headervalue ILIKE" : "headervalue LIKE") + " '%value 13%'"},
      {"R9",
       "SELECT message_idnr FROM dbmail_messages JOIN dbmail_datefield"
       " ON dbmail_datefield.physmessage_id = dbmail_messages.physmessage_id" +
           visible + " AND datefield >= '2024-01-01' AND datefield < '2024-02-01'"},
      {"R11",
       "SELECT message_idnr, referencesfield FROM dbmail_messages JOIN dbmail_referencesfield"
       " ON dbmail_referencesfield.physmessage_id = dbmail_messages.physmessage_id" +
           visible},
      {"R12",
       "SELECT message_idnr FROM dbmail_messages JOIN dbmail_partlists"
       " ON dbmail_partlists.physmessage_id = dbmail_messages.physmessage_id"
       " JOIN dbmail_mimeparts ON dbmail_mimeparts.id = dbmail_partlists.part_id" +
           visible +
           (engine == Engine::postgresql ? " AND position('\\x41'::bytea IN data) > 0" : " AND data LIKE '%A%'")},
      {"R13", "SELECT message_idnr FROM dbmail_messages" + visible + " AND seq >= 3"},
      {"R14", "UPDATE dbmail_messages SET seen_flag = 1, status = 1 WHERE message_idnr = 130 AND status < 2"},
      {"R15", "SELECT message_idnr FROM dbmail_messages WHERE status = 2"},
      {"R16", "SELECT message_idnr FROM dbmail_messages WHERE physmessage_id = 130"},
      {"R16", "SELECT physmessage_id FROM dbmail_partlists WHERE part_id = 130"},
      {"R16", "SELECT physmessage_id FROM dbmail_header WHERE headervalue_id = 130"},
      {"R17", "SELECT user_idnr, passwd FROM dbmail_users WHERE " + caseless(engine, "userid") + " = 'user17'"},
      {"R17", "SELECT userid FROM dbmail_users WHERE user_idnr = 17"},
      {"R18",
       "SELECT sum(messagesize) FROM dbmail_mailboxes JOIN dbmail_messages"
       " ON dbmail_messages.mailbox_idnr = dbmail_mailboxes.mailbox_idnr JOIN dbmail_physmessage"
       " ON dbmail_physmessage.id = dbmail_messages.physmessage_id WHERE owner_idnr = 17 AND dbmail_messages.status < "
       "2"},
  };
  for (const auto* field : {"from", "to", "cc", "subject"}) {
    const std::string view = std::string("dbmail_") + field + "field";
    shapes.push_back({"R10", "SELECT message_idnr FROM dbmail_messages LEFT JOIN " + view + " ON " + view +
                                 ".physmessage_id = dbmail_messages.physmessage_id" + visible +
                                 " ORDER BY sortfield_of_view"});
    std::string& sql = shapes.back().sql;
    const std::string column = std::string(field) == "subject" ? "sortfield" : std::string(field) + "field";
    sql.replace(sql.find("sortfield_of_view"), 17, view + "." + column);
    // SQLite puts the whole view together before an outer join with it.
    if (engine == Engine::sqlite) shapes.back().scans = {"m"};
  }
  return shapes;
}

inline std::vector<QueryShape> lmtpd_shapes(Engine engine) {
  const std::string lock = engine == Engine::sqlite ? "" : " FOR UPDATE";
  const std::string large = engine == Engine::postgresql ? "octet_length(data)" : "length(data)";
  const std::string header_of =
      " FROM dbmail_header JOIN dbmail_headername ON dbmail_headername.id = dbmail_header.headername_id JOIN "
      "dbmail_headervalue"
      " ON dbmail_headervalue.id = dbmail_header.headervalue_id WHERE dbmail_header.physmessage_id = "
      "dbmail_messages.physmessage_id";
  return {
      {"L1", "SELECT alias, deliver_to FROM dbmail_aliases WHERE " + caseless(engine, "alias") +
                 " IN ('alias17@example.org', '@example.org')"},
      {"L2",
       "SELECT user_idnr, userid FROM dbmail_users WHERE " + caseless(engine, "userid") + " IN ('user17', 'user18')"},
      {"L2", "SELECT user_idnr, userid FROM dbmail_users WHERE user_idnr IN (17, 18)"},
      {"L3",
       "SELECT mailbox_idnr FROM dbmail_mailboxes WHERE (owner_idnr = 17 AND lower(name) = 'inbox')"
       " OR (owner_idnr = 18 AND lower(name) = 'lists')"},
      {"L4", "SELECT id, hash FROM dbmail_mimeparts WHERE hash IN ('part 17', 'part 18') AND " + large +
                 " = 7"
                 " AND EXISTS (SELECT 1 FROM dbmail_partlists WHERE dbmail_partlists.part_id = dbmail_mimeparts.id)"},
      {"L5",
       "SELECT id, hash FROM dbmail_headervalue WHERE hash IN ('value 17', 'value 18')"
       " AND EXISTS (SELECT 1 FROM dbmail_header WHERE dbmail_header.headervalue_id = dbmail_headervalue.id)"},
      {"L6",
       "SELECT message_idnr FROM dbmail_messages WHERE (mailbox_idnr = 7 AND unique_id = 'unique 130')"
       " OR (mailbox_idnr = 8 AND unique_id = 'unique 150')"},
      {"L7",
       "SELECT mailbox_idnr, seq FROM dbmail_mailboxes WHERE mailbox_idnr IN (7, 8) ORDER BY mailbox_idnr" + lock},
      {"L7", "SELECT user_idnr, curmail_size FROM dbmail_users WHERE user_idnr IN (17, 18) ORDER BY user_idnr" + lock},
      {"L8",
       "SELECT dbmail_mailboxes.mailbox_idnr, count(dbmail_messages.message_idnr), sum(messagesize) FROM "
       "dbmail_mailboxes"
       " LEFT JOIN dbmail_messages ON dbmail_messages.mailbox_idnr = dbmail_mailboxes.mailbox_idnr"
       " LEFT JOIN dbmail_physmessage ON dbmail_physmessage.id = dbmail_messages.physmessage_id"
       " WHERE owner_idnr = 17 GROUP BY dbmail_mailboxes.mailbox_idnr"},
      {"L8", "SELECT message_idnr, (SELECT min(sortfield)" + header_of +
                 " AND dbmail_headername.headername = 'subject')"
                 " FROM dbmail_messages WHERE mailbox_idnr = 7 AND status < 2 ORDER BY message_idnr"},
  };
}

}  // namespace testing_support
