"""One sample of one point: the daemon under lmtp-load with what it cost, and the raw ceiling beside it."""
import dataclasses
import json
import os
import subprocess
import time

from . import processes
from .daemon import Daemon, recipients


@dataclasses.dataclass
class Times:
    """Seconds of each phase; the ceilings store about as many messages as the daemon does in `ceiling` seconds."""

    warm_up: float = 1.0
    measured: float = 5.0
    ceiling: float = 2.0


class Bench:
    def __init__(self, programs, scratch, times):
        self.programs = programs
        self.scratch = scratch
        self.times = times
        self.seed = int(time.time()) * 1000
        self.running = None  # the daemon of the moment
        self.full_rates = {}  # point → its last closed-loop rate

    def next_seed(self):
        self.seed += 1
        return str(self.seed)

    def load(self, point, seconds, rate=None, settling=0.0):
        """settling: seconds at the given rate that are not measured."""
        command = [f"{self.programs}/lmtp-load", self.running.address, "--json", "--quiet", "--seed", self.next_seed(),
                   "--seconds", str(seconds), "--sessions", str(point.sessions), "--min-size", str(point.min_size),
                   "--max-size", str(point.max_size), "--per-message", str(point.per_message),
                   "--recipients", *recipients(max(point.mailboxes, point.per_message))]
        if rate:
            command += ["--rate", f"{rate:.3f}", "--warm-up", str(settling)]
        before = os.times()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = os.times()
        if not done.stdout:
            raise RuntimeError("lmtp-load: " + done.stderr)
        found = json.loads(done.stdout)
        if found["faults"] or found["stored"] == 0 or found["stored"] != found["sent"]:
            raise RuntimeError(f"{point}: not everything was stored: {found['replies']} {found['faults']}")
        found["cpu"] = after.children_user + after.children_system - before.children_user - before.children_system
        return found

    def ceiling(self, point, uri, level, rate, batch):
        connections = 1 if point.engine == "sqlite" or point.sessions == 1 else 2  # the lanes that have something to do
        batch = max(1, round(batch))
        # Enough for every connection to have something to do, not more than fits into memory.
        most = max(40, 400_000_000 // (point.max_size * 3))
        count = int(min(max(rate * self.times.ceiling, 8 * batch), most))
        command = [f"{self.programs}/bench-ceiling", uri, "--level", level, "--messages", str(count), "--batch", str(batch),
                   "--connections", str(connections), "--warm-up", str(min(2 * batch, most // 4)), "--seed", self.next_seed(),
                   "--min-size", str(point.min_size), "--max-size", str(point.max_size), "--per-message", str(point.per_message),
                   "--recipients", *recipients(max(point.mailboxes, point.per_message))]
        if point.durability == "relaxed" and point.engine == "sqlite":
            command += ["--synchronous", "EXTRA"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError("bench-ceiling: " + done.stderr)
        return json.loads(done.stdout)["messages_per_second"]

    def sample(self, point, server, uri, levels=("driver", "raw")):
        """levels: the ceilings that are measured beside it."""
        options = {"delivery": {"batch_messages": point.batch}}
        if point.durability == "relaxed" and point.engine == "sqlite":
            options["storage"] = {"sqlite_synchronous": "EXTRA"}
        folder = f"{self.scratch}/daemon"
        for name in ("lmtp.sock", "lmtpd.log"):
            if os.path.exists(f"{folder}/{name}"):
                os.remove(f"{folder}/{name}")
        self.running = Daemon(self.programs, folder, uri, options)
        self.running.start()
        try:
            found = self._measure(point, server)
        finally:
            self.running.stop()
        for level in levels:
            found[f"{level}_rate"] = self.ceiling(point, uri, level, found["rate"], found["batch"])
        return found

    def _measure(self, point, server):
        rate = None
        if point.half_rate:
            rate = self.full_rates[point.other(half_rate=False)] / 2
        self.load(point, self.times.warm_up)
        pid = self.running.process.pid
        before = self._counters(pid, server)
        position = self.running.log_position()
        load = self.load(point, self.times.measured, rate, self.times.warm_up)
        after = self._counters(pid, server)
        if not point.half_rate:
            self.full_rates[point] = load["messages_per_second"]
        time.sleep(0.05)  # the log is written by a thread of its own
        transactions, deliveries = self.running.transactions_since(position, point.per_message)
        count = deliveries or load["stored"]  # with those of the settling time
        per = lambda key, factor: None if before[key] is None else (after[key] - before[key]) * factor / count
        busy, idle, steal = (b - a for a, b in zip(before["machine"], after["machine"]))
        latency = load["latency"]
        total = max(1, busy + idle + steal)
        ours = load["cpu"] + sum(after[key] - before[key] for key in ("daemon", "database") if before[key] is not None)
        foreign = None if server.pid is None and server.engine != "sqlite" else 100 * (busy / processes.TICKS - ours) * processes.TICKS / total
        return {"rate": load["messages_per_second"], "p50_ms": latency["p50_us"] / 1000, "p99_ms": latency["p99_us"] / 1000,
                "p999_ms": latency["p999_us"] / 1000, "commit_p50_ms": load["commit_latency"]["p50_us"] / 1000,
                "batch": deliveries / transactions if transactions else 1, "transactions": transactions / deliveries if deliveries else None,
                "log_octets": per("log", 1), "daemon_us": per("daemon", 1e6), "session_us": per("sessions", 1e6), "database_us": per("database", 1e6),
                "load_us": load["cpu"] * 1e6 / count, "idle": 100 * idle / total, "foreign": foreign and max(0.0, foreign),
                "steal": 100 * steal / total,
                "memory_mib": processes.peak_memory(pid) / 2**20}

    @staticmethod
    def _counters(pid, server):
        log = server.log_octets()
        # Lanes, look-ups and the log have threads with names of their own; the others read, parse, decompose and hand over.
        return {"daemon": processes.cpu_seconds(pid), "sessions": processes.thread_cpu_seconds(pid, "lmtpd"), "database": processes.cpu_seconds(server.pid),
                "log": processes.written_octets(pid) if log is None else log, "machine": processes.machine_ticks()}
