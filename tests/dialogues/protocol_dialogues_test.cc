// Every dialogue file against the protocol room alone, and the script client against servers that misbehave.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "tests/dialogues/stub_session.h"
#include "tests/support/script_client.h"

namespace test {
namespace {

std::vector<std::string> dialogue_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(LMTPD_DIALOGUES)) {
    if (entry.path().extension() == ".lmtp") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string case_name(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name = std::filesystem::path(tested.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string unquoted(const std::string& value) {
  return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
}

// False: an option that the stub does not know; the file would prove nothing.
bool apply(const std::string& key, const std::string& value, StubWorld& world) {
  if (key == "server.hostname") return world.dialogue.hostname = unquoted(value), true;
  if (key == "limits.message_size") return world.dialogue.message_size = std::stoull(value), true;
  if (key == "limits.recipients") return world.dialogue.max_recipients = std::stoull(value), true;
  if (key == "limits.bad_commands") return world.dialogue.max_bad_commands = std::stoi(value), true;
  if (key == "limits.received_headers") return world.received_headers = std::stoull(value), true;
  if (key == "messages.nul_bytes") return world.nul_bytes = unquoted(value), true;
  if (key == "messages.bare_line_ends") return world.reject_bare_line_ends = unquoted(value) == "reject", true;
  if (key == "recipients.over_quota_permanent") return world.over_quota_permanent = value == "true", true;
  if (key == "storage.recognise_redelivery") return world.recognise_redelivery = value == "true", true;
  return false;
}

// A server for one script: each connection is served by a thread of its own, one after the other.
class Server {
 public:
  explicit Server(std::function<void(int)> serve) : serve_(std::move(serve)) {}
  ~Server() { finish(); }

  int connect() {
    finish();
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return -1;
    thread_ = std::thread([serve = serve_, socket = sockets[0]] {
      serve(socket);
      ::close(socket);
    });
    return sockets[1];
  }
  void finish() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::function<void(int)> serve_;
  std::thread thread_;
};

class ProtocolDialogue : public ::testing::TestWithParam<std::string> {};

TEST_P(ProtocolDialogue, GoesAsWritten) {
  const Script script = Script::load(GetParam());
  StubWorld world;
  world.dialogue.xforward = true;
  for (const auto& [key, value] : script.options) ASSERT_TRUE(apply(key, value, world)) << key;
  {
    Server server([&world](int socket) { StubSession(socket, world).run(); });
    EXPECT_EQ(ScriptClient([&server] { return server.connect(); }).play(script), "");
  }
  for (const auto& [user, inbox] : world.inboxes) EXPECT_EQ(script.stored.count(user), 1u) << user << " got mail";
  for (const auto& [user, stored] : script.stored) {
    const std::vector<std::string>& inbox = world.inboxes[user];
    ASSERT_EQ(inbox.size(), stored.count) << user;
    for (std::size_t i = 0; i < stored.contents.size(); ++i) EXPECT_EQ(inbox[i], stored.contents[i]) << user;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ProtocolDialogue, ::testing::ValuesIn(dialogue_files()), case_name);

TEST(Dialogues, AreThere) {
  EXPECT_GE(dialogue_files().size(), 100u);
}

// --- the client must see every difference ---

std::string play_to(const std::string& server_says, const std::string& script) {
  Server server([&server_says](int socket) {
    ::send(socket, server_says.data(), server_says.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    char octet;
    while (::recv(socket, &octet, 1, 0) > 0) {
    }
  });
  return ScriptClient([&server] { return server.connect(); }).play(Script::parse("f", script));
}

TEST(ScriptClient, AgreesWithWhatIsWritten) {
  EXPECT_EQ(play_to("220 a\r\n250-b\r\n250 c\r\n221 d\r\n", "# x\nS: 220 a\nC: LHLO\nS*: 250\nS~: 22. .\nclosed\n"),
            "");
}

TEST(ScriptClient, NamesTheLineOfTheFirstDifference) {
  EXPECT_EQ(play_to("220 a\r\n", "# x\n\nS: 221\n"), "f:3: expected \"221\", got \"220 a\"");
  EXPECT_EQ(play_to("220 a\r\n", "# x\nS~: 220\n"), "f:2: expected /220/, got \"220 a\"");
  EXPECT_EQ(play_to("250-a\r\n251 b\r\n", "# x\nS*: 250\n"), "f:2: expected a reply 250, got \"251 b\"");
  EXPECT_EQ(play_to("220", "# x\nS: 220\n"), "f:2: expected \"220\", but the server closed after \"220\"");
  EXPECT_EQ(play_to("220 a\r\n250 more\r\n", "# x\nS: 220\n"), "f:2: the server said too much: \"250 more\r\n\"");
  EXPECT_EQ(play_to("250 more\r\n", "# x\nclosed\n"), "f:2: the server said too much: \"250 more\r\n\"");
}

TEST(Script, SaysWhereItIsWrong) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      (void)Script::parse("f", text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("# x\nC: ok\n"), "");
  EXPECT_EQ(error_of("C: no comment\n"), "f:1: no intent: the file begins with a comment that tells it");
  EXPECT_EQ(error_of("# x\n"), "f:1: no steps");
  EXPECT_EQ(error_of("# x\nX: y\n"), "f:2: not understood: X: y");
  EXPECT_EQ(error_of("# x\nC: \\q\n"), "f:2: unknown escape \\q");
  EXPECT_EQ(error_of("# x\nC: \\x4\n"), "f:2: \\x wants two hex digits");
  EXPECT_EQ(error_of("# x\nC: x\noption a = b\n"), "f:3: options stand before the first step");
  EXPECT_EQ(error_of("# x\nclosed now\n"), "f:2: nothing may follow here:  now");
  EXPECT_EQ(error_of("# x\nrepeat many: y\n"), "f:2: not a number: many");
  EXPECT_EQ(error_of("# x\ncontent: a b\nC: x\n"), "f:3: more content than messages for a");
}

TEST(Script, UnderstandsEscapesAndRepetition) {
  const Script script = Script::parse("f", "# x\nstored: a 2\ncontent: a \\r\\n\\0\\t\\\\\\xfF\nC:\nrepeat 3: ab\n");
  EXPECT_EQ(script.intent, "x");
  EXPECT_EQ(script.stored.at("a").contents.at(0), std::string("\r\n\0\t\\\xff", 6));
  EXPECT_EQ(script.steps.at(0).text, "\r\n");
  EXPECT_EQ(script.steps.at(1).text, "ababab");
}

}  // namespace
}  // namespace test
