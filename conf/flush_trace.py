"""Every fsync and fdatasync of the machine for some seconds, by the kernel's tracepoints. Needs root and tracefs, and no other program. All
that it changes is a trace instance of its own, which is gone afterwards."""
import os
import re
import signal
import sys
import time

CALLS = ("fsync", "fdatasync")
LINE = re.compile(r"^\s*(.+)-(\d+)\s+\[\d+\] .* (\d+\.\d+): sys_(fsync|fdatasync)(\(| -> )")


class NotAllowed(Exception):
    """Why there is no trace, in words."""


def flushes_in(text):
    """What the kernel wrote → {command name: [seconds of each flush]}. A flush whose beginning was not seen does not count."""
    begun, took = {}, {}
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        command, thread, at, edge = match.group(1), match.group(2), float(match.group(3)), match.group(5)
        if edge == "(":
            begun[thread] = at
        elif thread in begun:
            took.setdefault(command, []).append(at - begun.pop(thread))
    return took


def summary(took):
    """One clause per command name, the busiest first."""
    rows = sorted(took.items(), key=lambda row: -sum(row[1]))
    return ["%s %d times, %.2f ms on average, at worst %.2f ms" % (command, len(times), 1000 * sum(times) / len(times), 1000 * max(times))
            for command, times in rows]


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def lost_events(instance):
    cpus = os.path.join(instance, "per_cpu")
    lost = 0
    for cpu in os.listdir(cpus):
        with open(os.path.join(cpus, cpu, "stats")) as f:
            lost += sum(int(n) for n in re.findall(r"(?m)^(?:overrun|dropped events): (\d+)$", f.read()))
    return lost


def watch(tracefs, seconds):
    """({command name: [seconds]}, events that did not fit in the kernel's buffer). Raises NotAllowed."""
    if not os.path.isdir(os.path.join(tracefs, "events/syscalls/sys_enter_fsync")):
        raise NotAllowed("only root may trace" if os.geteuid() != 0 else
                         "the kernel's tracepoints are not there: mount -t tracefs tracefs " + tracefs)
    instance = os.path.join(tracefs, "instances/lmtpd-doctor-%d" % os.getpid())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an end by exception, which takes the instance away
    try:
        os.mkdir(instance)
        try:
            for call in CALLS:
                for edge in ("enter", "exit"):
                    write(os.path.join(instance, "events/syscalls/sys_%s_%s/enable" % (edge, call)), "1")
            time.sleep(seconds)
            write(os.path.join(instance, "tracing_on"), "0")
            with open(os.path.join(instance, "trace"), encoding="utf-8", errors="replace") as f:
                return flushes_in(f.read()), lost_events(instance)
        finally:
            os.rmdir(instance)
    except OSError as e:
        raise NotAllowed("the kernel does not let us trace: %s" % e) from e
