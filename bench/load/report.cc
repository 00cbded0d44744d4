#include "bench/load/report.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <array>
#include <iomanip>
#include <ostream>
#include <stdexcept>

extern char** environ;

namespace bench::load {
namespace {

double seconds(const LoadResult& result) { return static_cast<double>(result.elapsed.count()) / 1e6; }

double per_second(double amount, const LoadResult& result) { return seconds(result) > 0 ? amount / seconds(result) : 0; }

nlohmann::json to_json(const Histogram& latency) {
  return {{"mean_us", latency.mean_us()},
          {"p50_us", latency.quantile(0.5).count()},
          {"p90_us", latency.quantile(0.9).count()},
          {"p99_us", latency.quantile(0.99).count()},
          {"p999_us", latency.quantile(0.999).count()},
          {"max_us", latency.max().count()}};
}

void print_latency(std::string_view name, const Histogram& latency, std::ostream& out) {
  const auto ms = [](std::chrono::microseconds us) { return static_cast<double>(us.count()) / 1000.0; };
  out << name << std::fixed << std::setprecision(2) << " p50 " << ms(latency.quantile(0.5)) << " ms, p99 " << ms(latency.quantile(0.99))
      << " ms, p99.9 " << ms(latency.quantile(0.999)) << " ms, max " << ms(latency.max()) << " ms\n";
}

// Standard output of the command; no shell.
std::string output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string out;
  std::array<char, 65536> chunk{};
  for (ssize_t n = 0; error == 0 && (n = read(ends[0], chunk.data(), chunk.size())) > 0;) {
    out.append(chunk.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  if (error == 0) waitpid(pid, &status, 0);
  if (error != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error(command[0] + " failed");
  return out;
}

}  // namespace

void print_text(const LoadResult& result, std::ostream& out) {
  out << std::fixed << std::setprecision(1) << result.stored << " of " << result.sent << " messages stored in " << std::setprecision(3)
      << seconds(result) << " s: " << std::setprecision(1) << per_second(static_cast<double>(result.stored), result) << " messages/s, "
      << per_second(static_cast<double>(result.octets) / 1e6, result) << " MB/s\n";
  print_latency("MAIL to last reply: ", result.latency, out);
  print_latency("dot to last reply:  ", result.commit_latency, out);
  for (const auto& [reply, count] : result.replies) out << "  " << count << " x " << reply << '\n';
  for (const std::string& fault : result.faults) out << "FAULT " << fault << '\n';
}

void print_json(const LoadResult& result, std::ostream& out) {
  const nlohmann::json document = {{"seconds", seconds(result)},
                                   {"sent", result.sent},
                                   {"stored", result.stored},
                                   {"octets", result.octets},
                                   {"messages_per_second", per_second(static_cast<double>(result.stored), result)},
                                   {"replies", result.replies},
                                   {"latency", to_json(result.latency)},
                                   {"commit_latency", to_json(result.commit_latency)},
                                   {"faults", result.faults}};
  out << document.dump(2) << '\n';
}

std::uint64_t verify(const LoadResult& result, const std::string& lmtpctl, const std::string& config, std::ostream& out) {
  std::uint64_t faults = 0;
  for (const auto& [recipient, labels] : result.acknowledged) {
    const auto listed =
        nlohmann::json::parse(output_of({lmtpctl, "--config", config, "--json", "message", "list", recipient, "INBOX"}));
    std::map<std::string, int> found;
    for (const auto& message : listed) {
      const std::string subject = message.at("subject");
      ++found[subject.substr(0, subject.find(' '))];
    }
    for (const std::string& label : labels) {
      const int copies = found[label];
      if (copies == 1) continue;
      ++faults;
      out << recipient << ": acknowledged message " << label << (copies == 0 ? " is missing" : " is there more than once") << '\n';
    }
  }
  return faults;
}

}  // namespace bench::load
