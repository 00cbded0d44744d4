// Every dialogue file against the real server, in this process, on the memory store.
#include <gtest/gtest.h>

#include <string>

#include "lmtpd/config/config.h"
#include "tests/dialogues/dialogue_files.h"
#include "tests/support/lmtp_server.h"
#include "tests/support/mail_world.h"
#include "tests/support/script_client.h"

namespace test {
namespace {

using testing_support::LmtpServer;

LmtpServer::Settings settings_for(const Script& script) {
  const std::string toml = configuration(script, "sqlite:///unused", "unix:/unused");
  const lmtpd::config::Settings parsed = lmtpd::config::parse(toml, script.name);
  LmtpServer::Settings settings;
  settings.server = parsed.server;
  settings.server.listen.clear();
  settings.delivery = parsed.delivery;
  settings.storage = parsed.storage;
  return settings;
}

class ServerDialogue : public ::testing::TestWithParam<std::string> {};

TEST_P(ServerDialogue, GoesAsWritten) {
  const Script script = Script::load(GetParam());
  LmtpServer server(settings_for(script));
  const std::string path = server.address().substr(sizeof "unix:" - 1);
  EXPECT_EQ(ScriptClient([&path] { return connect_unix(path); }).play(script), "");
  server.finish();
  expect_stored(script, [&server](const std::string& user) { return server.messages(user); });
}

INSTANTIATE_TEST_SUITE_P(Files, ServerDialogue, ::testing::ValuesIn(dialogue_files()), dialogue_name);

}  // namespace
}  // namespace test
