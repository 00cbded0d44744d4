// lmtpd/server/unix_socket.h: makes the listening unix socket: safe permissions from the first moment, a stale socket
// of a dead process replaced, a living one never touched. Start-up code: throws std::runtime_error with one sentence
// for the operator, beginning with the key; AddressUnavailable when somebody listens there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lmtpd::server {

// Names or numbers of the account database; nullopt: no such name.
[[nodiscard]] std::optional<uid_t> find_user(const std::string& name);
[[nodiscard]] std::optional<gid_t> find_group(const std::string& name);

struct UnixSocketOptions {
  std::string path;
  mode_t mode = 0660;
  std::optional<uid_t> owner;
  std::optional<gid_t> group;
  int backlog = 4096;
};

// A listening socket and its file. Removes the file when destroyed, if it is still the one it made.
class UnixSocket {
 public:
  // Throws when the folder is unsafe or somebody listens at the path. Others that start at the same moment wait for
  // the folder's lock; it leaves no file.
  explicit UnixSocket(const UnixSocketOptions& options);
  ~UnixSocket();
  UnixSocket(UnixSocket&& other) noexcept;
  UnixSocket& operator=(UnixSocket&&) = delete;

  // Hands the descriptor over; the file is still removed here.
  [[nodiscard]] int release_fd();

 private:
  void remember_file();
  void remove_file();

  std::string path_;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// What would keep a socket from being made at path, as one sentence; nullopt: nothing. Changes nothing.
[[nodiscard]] std::optional<std::string> unix_socket_problem(const std::string& path);

// The same for what the file is to belong to: only root gives files to other users, and to groups that it is not a member of.
[[nodiscard]] std::optional<std::string> ownership_problem(std::optional<uid_t> owner, std::optional<gid_t> group);

}  // namespace lmtpd::server
