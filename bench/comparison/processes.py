"""What a process and its children have used, from /proc."""
import os

TICKS = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return {"parent": int(fields[1]), "ticks": sum(int(x) for x in fields[11:15])}


def family(pid):
    """pid and all processes below it."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents.setdefault(_stat(int(name))["parent"], []).append(int(name))
            except (OSError, IndexError):
                continue
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += parents.get(found[-1], [])
    return found


def cpu_seconds(pid):
    """User and system time of the process, its living children, and those that it has waited for. None without a pid."""
    if pid is None:
        return None
    ticks = 0
    for one in family(pid):
        try:
            ticks += _stat(one)["ticks"]
        except (OSError, IndexError):
            continue
    return ticks / TICKS


def thread_cpu_seconds(pid, name):
    """Of the threads with that name."""
    ticks = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii", errors="replace") as file:
                head, tail = file.read().rsplit(")", 1)
        except OSError:
            continue
        if head.split("(", 1)[1] == name:
            ticks += sum(int(x) for x in tail.split()[11:13])
    return ticks / TICKS


def peak_memory(pid):
    """Octets of resident memory at the highest."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def written_octets(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        for line in file:
            if line.startswith("write_bytes:"):
                return int(line.split()[1])
    return None


def machine_ticks():
    """(busy, idle, steal) ticks of the whole machine."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(x) for x in file.readline().split()[1:]]
    return sum(fields[:3]) + sum(fields[5:7]), fields[3] + fields[4], fields[7]
