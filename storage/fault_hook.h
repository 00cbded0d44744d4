// storage/fault_hook.h: test-only faults inside an engine, at the single place where it executes a statement
// (DECISIONS.md). A test sets Options::statement_hook; production leaves it empty and pays one branch per statement.
// The hook also counts round trips: what crosses to the server in one round trip calls it exactly once, BEGIN, COMMIT
// and ROLLBACK included. Names: "begin", "commit", "rollback" for a round trip that holds one of these, alone or with
// other statements; otherwise the method of SteppedTables, Tables or Directory, with ".part" behind it when the method
// needs several ("insert_content.parts"). Called on the connection's thread, so from several threads at once.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace storage {

enum class Fault {
  none,
  fail_before,  // the server refuses the statement: nothing executed, the connection lives → Reason::conflict, also at
                // COMMIT
  fail_after,  // executed, but the answer is lost and the connection is of no use any more → unavailable; at COMMIT:
               // in_doubt
  cut,  // the connection breaks before the statement arrives; the engine sees its own native error → as fail_after
};

using StatementHook = std::function<Fault(std::string_view statement_name)>;

// Thrown by execute_hooked; an engine's errors.cc translates it like its client library's exceptions.
class InjectedFault : public std::runtime_error {
 public:
  InjectedFault(std::string_view statement, bool connection_lost)
      : std::runtime_error("injected fault at " + std::string(statement)), connection_lost_(connection_lost) {}
  // False: refused, conflict. True: the answer was lost, the connection is poisoned.
  [[nodiscard]] bool connection_lost() const { return connection_lost_; }

 private:
  bool connection_lost_;
};

// Runs execute() under the hook and returns what it returns. cut() must break the connection so that execute() then
// fails by itself (shut the socket down), or throw InjectedFault(name, true) where there is no socket.
template <typename Execute, typename Cut>
auto execute_hooked(const StatementHook& hook, std::string_view name, Execute&& execute, Cut&& cut) {
  const Fault fault = hook ? hook(name) : Fault::none;
  if (fault == Fault::fail_before) throw InjectedFault(name, false);
  if (fault == Fault::cut) cut();
  if constexpr (std::is_void_v<std::invoke_result_t<Execute>>) {
    execute();
    if (fault == Fault::fail_after) throw InjectedFault(name, true);
  } else {
    auto result = execute();
    if (fault == Fault::fail_after) throw InjectedFault(name, true);
    return result;
  }
}

}  // namespace storage
