#include "lmtpd/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/gated_driver.h"
#include "tests/support/lmtp_server.h"

namespace lmtpd::server {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing_support::Call;
using testing_support::CallFault;
using testing_support::Gate;
using testing_support::GatedDriver;
using testing_support::LmtpClient;
using testing_support::LmtpServer;

const std::string shutting_down = "421 4.3.2 Shutting down, try again later";
const std::string envelope =
    "MAIL FROM:<sender@example.org>\r\nRCPT TO:<alice@example.test>\r\nRCPT TO:<bob@example.test>\r\n";

// --- drain: A29 ---

TEST(Drain, IdleSessionsHear421AndNobodyNewIsAccepted) {
  LmtpServer server;
  LmtpClient fresh = server.client();
  LmtpClient idle = server.greeted();
  const std::string path = server.address();
  server.begin_drain();
  EXPECT_THAT(fresh.rest(), ElementsAre(shutting_down));
  EXPECT_THAT(idle.rest(), ElementsAre(shutting_down));
  server.finish();
  EXPECT_THROW(LmtpClient{path}, std::runtime_error);
}

// To Postfix, 421 instead of a greeting or to MAIL is a failed delivery; 421 to the RSET with which it takes up a kept
// connection is not.
TEST(Drain, AConnectionThatIsAboutToBeginGetsOneTransaction) {
  LmtpServer server;
  LmtpClient connected = server.client();
  LmtpClient after_reset = server.greeted();
  after_reset.send("RSET\r\n");
  after_reset.reply();
  server.begin_drain();
  std::this_thread::sleep_for(milliseconds(50));
  connected.send("LHLO client\r\n");
  after_reset.send(envelope + "DATA\r\n");
  after_reset.replies(4);
  after_reset.send("Subject: a\r\n\r\nx\r\n.\r\n");
  EXPECT_THAT(after_reset.rest(), ElementsAre(HasSubstr(" Saved"), HasSubstr(" Saved"), shutting_down));
  connected.send(envelope + "QUIT\r\n");
  EXPECT_THAT(connected.rest(), ::testing::Contains(StartsWith("250 2.1.5")).Times(2));
}

TEST(Drain, AConnectionThatHadItsMessageEndsAtOnce) {
  LmtpServer server;
  LmtpClient kept = server.greeted();
  kept.send(envelope + "DATA\r\n");
  kept.replies(4);
  kept.send("Subject: a\r\n\r\nx\r\n.\r\n");
  kept.replies(2);
  const auto begin = std::chrono::steady_clock::now();
  server.begin_drain();
  EXPECT_THAT(kept.rest(), ElementsAre(shutting_down));
  server.finish();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(4900));  // others are waited for 5 s
}

TEST(Drain, OpenTransactionsGoOnToTheirReplies) {
  LmtpServer server;
  LmtpClient after_mail = server.greeted();
  after_mail.send("MAIL FROM:<sender@example.org>\r\n");
  after_mail.reply();
  LmtpClient in_data = server.greeted();
  in_data.send(envelope + "DATA\r\n");
  in_data.replies(4);
  in_data.send("Subject: a");
  LmtpClient in_chunk = server.greeted();
  in_chunk.send(envelope + "BDAT 8\r\nabc");
  in_chunk.replies(3);
  server.begin_drain();
  std::this_thread::sleep_for(milliseconds(50));

  in_chunk.send("defghBDAT 1 LAST\r\ni");
  EXPECT_THAT(in_chunk.rest(),
              ElementsAre(StartsWith("250 2.0.0 8"), HasSubstr(" Saved"), HasSubstr(" Saved"), shutting_down));
  in_data.send("\r\n\r\nx\r\n.\r\n");
  EXPECT_THAT(in_data.rest(), ElementsAre(HasSubstr(" Saved"), HasSubstr(" Saved"), shutting_down));
  after_mail.send("RCPT TO:<alice@example.test>\r\nDATA\r\n");
  after_mail.replies(2);
  after_mail.send("Subject: b\r\n\r\ny\r\n.\r\nMAIL FROM:<>\r\n");
  EXPECT_THAT(after_mail.rest(), ElementsAre(HasSubstr(" Saved"), shutting_down));
  server.finish();
  EXPECT_EQ(server.stored(), 5u);
}

TEST(Drain, AQuitThatIsAlreadyThereIsAnswered) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(envelope + "DATA\r\n");
  client.replies(4);
  server.begin_drain();
  client.send("Subject: q\r\n\r\nx\r\n.\r\nQUIT\r\n");
  EXPECT_THAT(client.rest(), ElementsAre(HasSubstr(" Saved"), HasSubstr(" Saved"), StartsWith("221")));
}

TEST(Drain, ASlowTransactionIsCutOffAtTheEnd) {
  LmtpServer::Settings settings;
  settings.server.limits.drain = milliseconds(100);
  LmtpServer server(settings);
  LmtpClient after_rcpt = server.greeted();
  after_rcpt.send(envelope);
  after_rcpt.replies(3);
  LmtpClient in_data = server.greeted();
  in_data.send(envelope + "DATA\r\n");
  in_data.replies(4);
  server.begin_drain();
  EXPECT_THAT(after_rcpt.rest(), ElementsAre(shutting_down));
  EXPECT_THAT(in_data.rest(), ElementsAre(shutting_down));
  server.finish();
  EXPECT_EQ(server.stored(), 0u);
}

// What was accepted gets its replies, however long the store takes, also beyond the drain limit.
TEST(Drain, AcceptedDataGetsItsReplies) {
  Gate gate;
  std::unique_ptr<GatedDriver> gated;
  LmtpServer::Settings settings;
  settings.server.limits.drain = milliseconds(50);
  settings.wrap = [&](storage::Driver& inner) {
    gated = std::make_unique<GatedDriver>(inner, gate);
    return gated.get();
  };
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  client.send(envelope + "DATA\r\n");
  client.replies(4);
  client.send("Subject: a\r\n\r\nx\r\n.\r\n");
  gate.await_waiting(1);
  server.begin_drain();
  std::this_thread::sleep_for(milliseconds(200));
  gate.open();
  EXPECT_THAT(client.rest(), ElementsAre(HasSubstr(" Saved"), HasSubstr(" Saved"), shutting_down));
  server.finish();
  EXPECT_EQ(server.stored(), 2u);
}

TEST(Drain, WithoutSessionsEndsAtOnce) {
  LmtpServer server;
  server.finish();
}

// --- limits ---

TEST(Server, RefusesSessionsBeyondTheLimit) {
  LmtpServer::Settings settings;
  settings.server.limits.sessions = 3;
  LmtpServer server(settings);
  std::vector<LmtpClient> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(server.greeted());
  LmtpClient refused(server.address());
  EXPECT_THAT(refused.rest(), ElementsAre("421 4.3.2 Too many sessions, try again later"));
  clients.pop_back();
  for (int i = 0; i < 6000 && server.metrics().sessions_open.value() > 2; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  LmtpClient accepted = server.greeted();
  EXPECT_THAT(accepted.ask("NOOP"), StartsWith("250"));
  EXPECT_EQ(server.metrics().sessions_refused.value(), 1u);
}

TEST(Server, ReloadedLimitsHoldForNewSessionsAndNewWaits) {
  LmtpServer::Settings settings;
  settings.server.io_threads = 1;
  LmtpServer server(settings);
  Limits limits;
  limits.message_size = 4711;
  server.server().reload(limits);
  LmtpClient client = server.client();
  EXPECT_THAT(client.ask("LHLO a"), HasSubstr("SIZE 4711"));
  limits.idle = milliseconds(400);
  server.server().reload(limits);
  const LmtpClient witness = server.client();  // greeted by the same thread: it has the new limits now
  client.send("NOOP\r\n");                     // in a wait that began before
  EXPECT_THAT(client.rest(), ElementsAre(StartsWith("250 2.0.0"), StartsWith("421 4.4.2")));
}

// --- gauges: refreshed about once a second ---

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 3000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return condition();
}

TEST(Gauges, ShowWhichConnectionsAreAtWork) {
  Gate resolves, stores;
  LmtpServer::Settings settings;
  settings.delivery.lanes = 1;
  settings.delivery.lookup_deadline = std::chrono::seconds(60);
  settings.plan = [&](Call call, std::uint64_t) {
    if (call == Call::resolve) resolves.pass();
    if (call == Call::store) stores.pass();
    return std::optional<CallFault>();
  };
  LmtpServer server(settings);
  const observe::Metrics& metrics = server.metrics();
  LmtpClient client = server.greeted();
  client.send(envelope + "DATA\r\n");
  EXPECT_TRUE(comes_true([&] { return metrics.lookups_leased.value() == 1 && metrics.lookups_open.value() >= 1; }));
  resolves.open();
  client.replies(4);
  client.send("Subject: a\r\n\r\nx\r\n.\r\n");
  EXPECT_TRUE(comes_true([&] { return metrics.writers_leased.value() == 1 && metrics.writers_open.value() == 1; }));
  EXPECT_TRUE(comes_true([&] { return metrics.lookups_leased.value() == 0; }));
  stores.open();
  EXPECT_THAT(client.replies(2), Each(HasSubstr(" Saved")));
  EXPECT_TRUE(comes_true([&] { return metrics.writers_leased.value() == 0; }));
}

TEST(Gauges, ShowThatTheStoreIsDown) {
  std::atomic<bool> down{true};
  LmtpServer::Settings settings;
  settings.delivery.outage_tolerance = milliseconds(100);
  settings.plan = [&](Call call, std::uint64_t) {
    const storage::Status refused(storage::Reason::unavailable, "connection refused");
    return call == Call::connect && down ? std::optional(CallFault{refused, false, false}) : std::nullopt;
  };
  LmtpServer server(settings);
  const observe::Metrics& metrics = server.metrics();
  EXPECT_TRUE(comes_true([&] { return metrics.store_down.value() == 1 && metrics.connects_failed.value() > 0; }));
  down = false;
  EXPECT_TRUE(comes_true([&] { return metrics.store_down.value() == 0 && metrics.connects_failed.value() == 0; }));
}

std::size_t resident_octets() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t growth_limit = 512u << 20;  // the sanitizer's own book-keeping
#else
constexpr std::size_t growth_limit = 64u << 20;
#endif

TEST(Server, AThousandIdleSessionsCostLittle) {
  LmtpServer::Settings settings;
  settings.server.limits.sessions = 1100;
  LmtpServer server(settings);
  const std::size_t before = resident_octets();
  std::vector<LmtpClient> clients;
  clients.reserve(1000);
  for (int i = 0; i < 1000; ++i) clients.push_back(server.greeted());
  const std::size_t after = resident_octets();
  EXPECT_LT(after - before, growth_limit);
  RecordProperty("octets_per_session", static_cast<int>((after - before) / 1000));
  EXPECT_EQ(server.metrics().sessions_open.value(), 1000);
  for (LmtpClient& client : clients) ASSERT_THAT(client.ask("NOOP"), StartsWith("250"));
  server.begin_drain();
  for (LmtpClient& client : clients) ASSERT_THAT(client.rest(), ElementsAre(shutting_down));
}

TEST(Server, ManyClientsAtOnce) {
  LmtpServer server;
  std::atomic<int> saved{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      LmtpClient client = server.greeted();
      for (int i = 0; i < 25; ++i) {
        client.send(envelope + "DATA\r\n");
        client.replies(4);
        client.send("Subject: " + std::to_string(t) + "/" + std::to_string(i) + "\r\n\r\nx\r\n.\r\n");
        for (const std::string& reply : client.replies(2)) saved += reply.find(" Saved") != std::string::npos ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(saved, 8 * 25 * 2);
  EXPECT_EQ(server.stored(), 8u * 25 * 2);
}

// --- peers ---

TEST(Peers, OnlyListedUsersAndGroups) {
  for (const bool by_group : {false, true}) {
    for (const bool listed : {false, true}) {
      LmtpServer::Settings settings;
      const std::string own = std::to_string(by_group ? ::getegid() : ::geteuid());
      (by_group ? settings.server.peer_groups : settings.server.peer_users) = {"54321"};
      if (listed) (by_group ? settings.server.peer_groups : settings.server.peer_users).push_back(own);
      LmtpServer server(settings);
      LmtpClient client(server.address());
      const std::string first = client.reply();
      EXPECT_THAT(first, StartsWith(listed ? "220 " : "421 4.7.0 "));
      if (listed) continue;
      EXPECT_EQ(client.reply(), "");
      EXPECT_TRUE(server.logged("session_refused"));
    }
  }
}

LmtpServer::Settings tcp(const std::vector<std::string>& proxies, const std::vector<std::string>& xforward) {
  LmtpServer::Settings settings;
  settings.server.listen = {"inet:127.0.0.1:0"};
  settings.server.proxy_networks = proxies;
  settings.server.xforward_networks = xforward;
  return settings;
}

TEST(Tcp, XforwardOnlyForListedNetworks) {
  LmtpServer closed(tcp({}, {}));
  LmtpClient stranger = closed.client();
  EXPECT_THAT(stranger.ask("LHLO a"), testing::Not(HasSubstr("XFORWARD")));
  EXPECT_THAT(stranger.ask("XFORWARD IDENT=x"), StartsWith("5"));
  LmtpServer open(tcp({}, {"127.0.0.0/8"}));
  LmtpClient friendly = open.client();
  EXPECT_THAT(friendly.ask("LHLO a"), HasSubstr("XFORWARD"));
}

// A66: the client's address survives the proxy; the header may come in pieces; others may not send one.
TEST(Proxy, HeadersOfListedNetworksAreRead) {
  LmtpServer server(tcp({"127.0.0.1"}, {"192.0.2.0/24"}));
  const std::string v1 = "PROXY TCP4 192.0.2.7 127.0.0.1 4711 24\r\n";
  for (std::size_t cut = 1; cut < v1.size(); cut += 7) {
    LmtpClient client(server.address());
    client.send(v1.substr(0, cut));
    std::this_thread::sleep_for(milliseconds(2));
    client.send(v1.substr(cut) + "LHLO a\r\n");
    EXPECT_THAT(client.reply(), StartsWith("220 "));
    EXPECT_THAT(client.reply(), HasSubstr("XFORWARD"));
  }
  std::string v2("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c", 16);
  v2 += std::string("\xc0\0\x02\x07\x7f\0\0\x01\x12\x67\0\x18", 12);
  LmtpClient client(server.address());
  client.send(v2);
  EXPECT_THAT(client.reply(), StartsWith("220 "));
  EXPECT_THAT(client.ask("LHLO a"), HasSubstr("XFORWARD"));
  std::string local("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16);
  LmtpClient check(server.address());
  check.send(local);
  EXPECT_THAT(check.reply(), StartsWith("220 "));
  EXPECT_THAT(check.ask("LHLO a"), testing::Not(HasSubstr("XFORWARD")));
}

TEST(Proxy, WithoutAHeaderTheConnectionClosesInSilence) {
  LmtpServer server(tcp({"127.0.0.1"}, {}));
  LmtpClient client(server.address());
  client.send("LHLO a\r\n");
  EXPECT_THAT(client.rest(), IsEmpty());
  EXPECT_TRUE(server.logged("no valid PROXY header"));
  for (int i = 0; i < 20; ++i) LmtpClient(server.address()).abort();
  server.finish();
  const std::string log = server.log();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);  // connect-and-close is quiet
}

TEST(Proxy, AHeaderFromAnUnlistedNetworkIsABadCommand) {
  LmtpServer server(tcp({"10.0.0.0/8"}, {}));
  LmtpClient client = server.client();
  EXPECT_THAT(client.ask("PROXY TCP4 192.0.2.7 127.0.0.1 4711 24"), StartsWith("500 5.5.2"));
}

TEST(Server, RemarksAndProblems) {
  LmtpServer::Settings settings = tcp({}, {});
  settings.server.listen = {"inet:0.0.0.0:0"};
  settings.server.backlog = 1'000'000;
  LmtpServer server(settings);
  EXPECT_THAT(server.server().remarks(),
              ElementsAre(HasSubstr("can be reached from other machines"), HasSubstr("net.core.somaxconn")));

  LmtpServer::Settings wrong;
  wrong.server.hostname = "";
  EXPECT_THROW(LmtpServer{wrong}, std::runtime_error);
  Options missing;
  missing.listen = {"unix:/nonexistent/folder/s"};
  EXPECT_THAT(check_listeners(missing), ElementsAre(HasSubstr("/nonexistent/folder/")));
}

TEST(Server, CheckSaysWhatKeepsATcpAddressFromBeingListenedAt) {
  LmtpServer server(tcp({}, {}));
  Options options;
  options.listen = {"inet:127.0.0.1:0", server.address(), "inet:192.0.2.1:2424"};
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(check_listeners(options), ElementsAre(testing::AllOf(StartsWith("listen.lmtp: cannot listen at " + server.address()),
                                                                      HasSubstr("another process listens there")),
                                                      HasSubstr("no interface of this machine has this address")));
  }
  EXPECT_THAT(server.client().ask("LHLO a"), HasSubstr("PIPELINING"));
}

}  // namespace
}  // namespace lmtpd::server
