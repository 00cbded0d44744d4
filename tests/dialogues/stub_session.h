// tests/dialogues/stub_session.h: the smallest session that can speak a dialogue: the protocol room over a blocking
// socket, with a stub of directory and store behind it (the world of README.md). Shows that the room alone decides
// every dialogue; the real session is lmtpd/server's. One session, one thread; a StubWorld is shared by sessions that
// run one after the other.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lmtpd/protocol/dialogue.h"
#include "lmtpd/protocol/line_splitter.h"

namespace test {

class StubWorld {
 public:
  lmtpd::protocol::DialogueOptions dialogue;
  std::string nul_bytes = "replace";
  bool reject_bare_line_ends = false;
  bool over_quota_permanent = false;
  bool recognise_redelivery = true;
  std::size_t received_headers = 100;

  // 250 and the users behind the path, or the refusal.
  lmtpd::protocol::Reply resolve(const lmtpd::protocol::Path& path, std::set<std::string>& users) const;
  // Why no recipient may have this message; positive: none.
  lmtpd::protocol::Reply judge(std::string& content) const;
  // True: stored now. False: it was there.
  bool store(const std::string& user, const std::string& sender, const std::string& content);

  std::map<std::string, std::vector<std::string>> inboxes;  // by address

 private:
  std::set<std::string> known_;
};

class StubSession {
 public:
  StubSession(int socket, StubWorld& world) : socket_(socket), world_(world), dialogue_(world.dialogue) {}
  void run();  // returns when either side has closed; does not close the socket

 private:
  bool fill();
  void send(const lmtpd::protocol::Reply& reply, std::size_t copies = 1);
  void obey(const lmtpd::protocol::Command& command);
  void look_up(const lmtpd::protocol::Rcpt& rcpt, const lmtpd::protocol::Reply& accepted);
  void receive_message();
  bool receive_octets(std::uint64_t octets, std::string* content);
  void deliver();

  int socket_;
  StubWorld& world_;
  lmtpd::protocol::Dialogue dialogue_;
  lmtpd::protocol::LineSplitter splitter_;
  std::string buffer_;
  std::string content_;
  std::vector<std::set<std::string>> recipients_;
  bool open_ = true;
};

}  // namespace test
