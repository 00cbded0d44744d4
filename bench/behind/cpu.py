"""CPU seconds of processes and all their descendants, from /proc: no cgroup, no right needed.

A process that ends gives its time to its parent's "children" fields, so a tree's total is exact as long as its roots live, however
short-lived the rest is."""
import os

TICK = 1 / os.sysconf("SC_CLK_TCK")


def parse_stat(text):
    """/proc/PID/stat → (name, parent, own seconds, seconds of ended children). The name may hold blanks and parentheses."""
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    user, system, ended_user, ended_system = (int(field) for field in fields[11:15])
    return name, int(fields[1]), (user + system) * TICK, (ended_user + ended_system) * TICK


def _read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def _nanoseconds(path):
    """0 on a kernel without scheduler statistics, or for a thread that has just ended."""
    try:
        return int(_read(path).split()[0])
    except (OSError, ValueError, IndexError):
        return 0


class Process:
    """One look at one process. Raises OSError when it has gone."""

    def __init__(self, pid, proc="/proc"):
        self.pid = pid
        folder = "%s/%d" % (proc, pid)
        self.name, self.parent, self.own, self.ended = parse_stat(_read(folder + "/stat"))
        self.tasks = os.listdir(folder + "/task")
        # Both miss something: ticks what is less than one, the threads' figures those threads that have ended.
        self.own = max(self.own, sum(_nanoseconds("%s/task/%s/schedstat" % (folder, task)) for task in self.tasks) / 1e9)


def tree(roots, proc="/proc"):
    """The roots that live and all their descendants: {pid: Process}."""
    found, waiting = {}, list(roots)
    while waiting:
        pid = waiting.pop()
        if pid in found:
            continue
        try:
            found[pid] = Process(pid, proc)
            for task in found[pid].tasks:
                waiting += [int(child) for child in _read("%s/%d/task/%s/children" % (proc, pid, task)).split()]
        except OSError:
            continue
    return found


class CpuMeter:
    """groups: {name: [root pid]}. look() now and then between begin() and end() tells the kinds of processes within a group apart."""

    def __init__(self, groups, proc="/proc"):
        self.groups = groups
        self.proc = proc
        self.pids = {name: set() for name in groups}  # every process seen
        self._before = {}
        self._last = {}

    def begin(self):
        for name, roots in self.groups.items():
            self._before[name] = tree(roots, self.proc)
            self._last[name] = dict(self._before[name])
            self.pids[name] |= set(self._before[name])

    def look(self):
        now = {}
        for name, roots in self.groups.items():
            now[name] = tree(roots, self.proc)
            self._last[name].update(now[name])
            self.pids[name] |= set(now[name])
        return now

    def end(self):
        """({group: seconds}, {group: {kind: seconds}}); what processes used between the last look at them and their end counts as "ended"."""
        now = self.look()
        totals, kinds = {}, {}
        for name in self.groups:
            before = self._before[name]
            total = sum(p.own + p.ended for p in now[name].values()) - sum(p.own + p.ended for p in before.values())
            kinds[name] = {}
            for pid, process in self._last[name].items():
                used = process.own - (before[pid].own if pid in before else 0)
                kinds[name][process.name] = kinds[name].get(process.name, 0) + used
            kinds[name]["ended"] = max(0.0, total - sum(kinds[name].values()))
            totals[name] = total
        return totals, kinds
