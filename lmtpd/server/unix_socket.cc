#include "lmtpd/server/unix_socket.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "lmtpd/server/address_unavailable.h"

namespace lmtpd::server {
namespace {

enum class Occupant : std::uint8_t { nobody, stale, alive, foreign };

std::string system_message() {
  return std::generic_category().message(errno);
}

std::string with_key(const std::string& sentence) {
  return "listen.lmtp: " + sentence;
}

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw std::runtime_error(with_key(what + " " + path + ": " + system_message()));
}

template <typename Id>
std::optional<Id> parse_id(const std::string& text) {
  Id id{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, id);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return id;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw std::runtime_error(with_key("the socket path " + path + " is longer than " +
                                      std::to_string(sizeof(address.sun_path) - 1) + " octets"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int new_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// A file that nobody listens at refuses the connection; EAGAIN is a full backlog and so somebody who lives.
Occupant occupant_of(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return errno == ENOENT ? Occupant::nobody : Occupant::foreign;
  if (!S_ISSOCK(found.st_mode)) return Occupant::foreign;
  const int probe = new_socket();
  if (probe < 0) fail("cannot make a socket to test", path);
  const sockaddr_un address = address_of(path);
  const int result = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  ::close(probe);
  if (result == 0) return Occupant::alive;
  if (error == ECONNREFUSED) return Occupant::stale;
  return error == ENOENT ? Occupant::nobody : Occupant::alive;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

// Held while a socket file is looked at and replaced: processes that start at the same path do so one after the other.
// The kernel lets go of it with the process.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path)
      : fd_(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int attempts = 500;
    for (int i = 0; i < attempts && fd_ >= 0 && !held_; ++i) {
      held_ = ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
      if (!held_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  [[nodiscard]] bool held() const { return held_; }

 private:
  int fd_;
  bool held_ = false;
};

std::optional<std::string> folder_problem(const std::string& path) {
  const std::string folder = folder_of(path);
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0)
    return "the socket folder " + folder + " cannot be used: " + system_message() + ": create it for the user that lmtpd runs as";
  if (!S_ISDIR(found.st_mode)) return "the socket folder " + folder + " is not a folder";
  const bool others_may_write = (found.st_mode & S_IWOTH) != 0;
  if (others_may_write && (found.st_mode & S_ISVTX) == 0) {
    return "the socket folder " + folder + " is writable by everybody: anybody could replace the socket";
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return "the socket folder " + folder + " is not writable for this process: " + system_message() + ": it must belong to the user that lmtpd runs as";
  }
  return std::nullopt;
}

std::optional<std::string> occupant_problem(Occupant occupant, const std::string& path) {
  if (occupant == Occupant::alive) return "another process listens at " + path + ": end it, or choose another path";
  if (occupant == Occupant::foreign) return path + " exists and is not a socket: not touched";
  return std::nullopt;
}

// REQUIRES the folder's lock is held.
void make_way(const std::string& path) {
  const Occupant occupant = occupant_of(path);
  if (const auto problem = occupant_problem(occupant, path)) {
    if (occupant == Occupant::alive) throw AddressUnavailable(with_key(*problem));
    throw std::runtime_error(with_key(*problem));
  }
  if (occupant == Occupant::stale && ::unlink(path.c_str()) != 0) fail("cannot remove the stale socket", path);
}

void give_away(const UnixSocketOptions& options) {
  const uid_t owner = options.owner.value_or(static_cast<uid_t>(-1));
  const gid_t group = options.group.value_or(static_cast<gid_t>(-1));
  if (::lchown(options.path.c_str(), owner, group) == 0) return;
  const int error = errno;
  const auto problem = ownership_problem(options.owner, options.group);
  if (error == EPERM && problem) throw std::runtime_error(*problem);
  errno = error;
  fail("cannot set owner and group of", options.path);
}

bool is_member(gid_t group) {
  if (group == ::getegid()) return true;
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  return std::find(groups.begin(), groups.begin() + std::max(0, count), group) != groups.begin() + std::max(0, count);
}

}  // namespace

std::optional<uid_t> find_user(const std::string& name) {
  if (const auto id = parse_id<uid_t>(name)) return id;
  std::vector<char> space(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found) != 0 || !found) return std::nullopt;
  return found->pw_uid;
}

std::optional<gid_t> find_group(const std::string& name) {
  if (const auto id = parse_id<gid_t>(name)) return id;
  std::vector<char> space(65536);
  group entry{};
  group* found = nullptr;
  if (::getgrnam_r(name.c_str(), &entry, space.data(), space.size(), &found) != 0 || !found) return std::nullopt;
  return found->gr_gid;
}

UnixSocket::UnixSocket(const UnixSocketOptions& options) : path_(options.path) {
  const sockaddr_un address = address_of(path_);
  if (const auto problem = folder_problem(path_)) throw std::runtime_error(with_key(*problem));
  const FolderLock lock(path_);
  if (!lock.held()) throw std::runtime_error(with_key("cannot lock the socket folder " + folder_of(path_)));
  make_way(path_);
  fd_ = new_socket();
  if (fd_ < 0) fail("cannot make a socket for", path_);
  try {
    // On Linux the file gets the descriptor's mode: nobody else can connect before owner and mode are right.
    if (::fchmod(fd_, 0600) != 0) fail("cannot set the mode of", path_);
    if (::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("cannot bind", path_);
    remember_file();
    give_away(options);
    if (::chmod(path_.c_str(), options.mode) != 0) fail("cannot set the mode of", path_);
    if (::listen(fd_, options.backlog) != 0) fail("cannot listen at", path_);
  } catch (...) {
    remove_file();
    ::close(fd_);
    throw;
  }
}

void UnixSocket::remember_file() {
  struct stat own {};
  if (::lstat(path_.c_str(), &own) != 0) fail("cannot find", path_);
  device_ = own.st_dev;
  inode_ = own.st_ino;
}

// REQUIRES the folder's lock is held.
void UnixSocket::remove_file() {
  struct stat found {};
  const bool still_ours =
      inode_ != 0 && ::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
  if (still_ours) ::unlink(path_.c_str());
}

UnixSocket::UnixSocket(UnixSocket&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      device_(other.device_),
      inode_(std::exchange(other.inode_, 0)) {}

UnixSocket::~UnixSocket() {
  if (fd_ >= 0) ::close(fd_);
  if (inode_ == 0) return;
  const FolderLock lock(path_);
  if (lock.held()) remove_file();
}

int UnixSocket::release_fd() {
  return std::exchange(fd_, -1);
}

std::optional<std::string> unix_socket_problem(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) return with_key("the socket path " + path + " is too long");
  auto problem = folder_problem(path);
  if (!problem) problem = occupant_problem(occupant_of(path), path);
  if (problem) problem = with_key(*problem);
  return problem;
}

std::optional<std::string> ownership_problem(std::optional<uid_t> owner, std::optional<gid_t> group) {
  if (::geteuid() == 0) return std::nullopt;
  if (owner && *owner != ::geteuid()) {
    return "listen.socket_owner: only root can give the socket to another user: leave it empty, or take the socket from systemd "
           "(lmtpd.socket)";
  }
  if (group && !is_member(*group)) {
    return "listen.socket_group: the user that lmtpd runs as is not a member of this group: make it one, or take the socket from systemd "
           "(lmtpd.socket)";
  }
  return std::nullopt;
}

}  // namespace lmtpd::server
