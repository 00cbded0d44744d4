#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/sink/session.h"

namespace {

using bench::sink::Session;
using bench::sink::Tally;

bool write_all(int fd, std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t n = send(fd, octets.data(), octets.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    octets.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void serve(int fd, Tally& tally, std::chrono::milliseconds delay) {
  tally.session_opened();
  Session session(tally);
  std::array<char, 65536> chunk{};
  bool alive = write_all(fd, "220 sink.example.test LMTP\r\n");
  while (alive && !session.over()) {
    const ssize_t n = read(fd, chunk.data(), chunk.size());
    if (n <= 0) break;
    std::string replies = session.take({chunk.data(), static_cast<std::size_t>(n)});
    while (session.message_ended()) {
      if (delay.count() > 0) std::this_thread::sleep_for(delay);
      alive = alive && write_all(fd, replies);
      replies = session.take({});
    }
    alive = alive && write_all(fd, replies);
  }
  close(fd);
  tally.session_closed();
}

int listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw std::runtime_error("the socket's path is too long");
  path.copy(address.sun_path, path.size());
  unlink(path.c_str());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 || chmod(path.c_str(), 0666) != 0 ||
      listen(fd, 4096) != 0) {
    throw std::runtime_error("cannot listen at " + path);
  }
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  std::string labels;
  int delay = 0;
  CLI::App app("lmtp-sink: an LMTP server that says yes and keeps nothing. Ends with SIGTERM or SIGINT and prints what it took as JSON.");
  app.add_option("SOCKET", path, "Path of the unix socket")->required();
  app.add_option("--labels", labels, "At the end, write the first word of each Subject to this file");
  app.add_option("--delay", delay, "Milliseconds from the end of a message to its replies")->check(CLI::Range(0, 600000));
  CLI11_PARSE(app, argc, argv);

  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  try {
    const int listener = listen_at(path);
    static Tally tally;  // outlives the sessions' threads, which end with the process
    std::thread([listener, delay] {
      for (;;) {
        const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) continue;
        std::thread(serve, fd, std::ref(tally), std::chrono::milliseconds(delay)).detach();
      }
    }).detach();
    int signal = 0;
    sigwait(&ending, &signal);
    unlink(path.c_str());
    if (!labels.empty()) {
      std::ofstream file(labels);
      tally.print_labels(file);
    }
    tally.print_json(std::cout);
    std::cout.flush();
    _exit(0);
  } catch (const std::exception& e) {
    std::cerr << "lmtp-sink: " << e.what() << '\n';
    return 1;
  }
}
