"""One measured batch: from the first connection of the injecting processes to the moment when no instance has mail left."""
import sys
import time

from behind.cpu import CpuMeter
from behind.disk import Disk, start_watch
from behind.load import Injection, compare
from behind.table import percentile
from comparison.processes import TICKS, machine_ticks

LOOK = 0.25   # seconds between looks at processes and queues
STEP = 0.02   # the ends of injection and of delivery are known to this
STUCK = 180   # seconds without any progress


class Progress:
    """One line on stderr: overwritten on a terminal, else a line when the step changes."""

    def __init__(self):
        self.start = time.monotonic()
        self.tty = sys.stderr.isatty()
        self.step = ""

    def say(self, step, detail=""):
        if not self.tty and step == self.step:
            return
        self.step = step
        seconds = int(time.monotonic() - self.start)
        line = "[%d:%02d] %s %s" % (seconds // 60, seconds % 60, step, detail)
        sys.stderr.write("\r\033[K" + line[:150] if self.tty else line.rstrip() + "\n")
        sys.stderr.flush()

    def end(self):
        if self.tty:
            sys.stderr.write("\r\033[K")


class Bench:
    """What all runs share. watch_syncs: measure flushes too; tracing them takes some CPU. Seeds are drawn one after the
    other, so that no message of a run is a redelivery of another's."""

    def __init__(self, programs, scratch, progress, watch_syncs=False):
        self.programs = programs
        self.scratch = scratch
        self.progress = progress
        self.watch_syncs = watch_syncs
        self.disk = Disk(scratch)
        self._seed = 1_000_000
        self._warmed_up = set()

    def next_seed(self):
        self._seed += 1000
        return self._seed

    def pass_through(self, site, mail, step, look=lambda depths: None):
        """Injects and waits until all queues are empty. Returns (labels, seconds of injection, seconds in all, injectors' CPU)."""
        begin = time.monotonic()
        injection = Injection(self.programs, site.port, mail, self.next_seed())
        try:
            looked = 0.0
            while not injection.poll():
                if time.monotonic() - looked >= LOOK:
                    looked = time.monotonic()
                    depths = site.depths()
                    look(depths)
                    self.progress.say(step, "injecting, %d wait" % waiting(depths))
                time.sleep(STEP)
            injected = time.monotonic() - begin
            cpu = injection.finish()
        except BaseException:
            injection.kill()
            raise
        self._drain(site, step, look)
        return injection.labels, injected, time.monotonic() - begin, cpu

    def _drain(self, site, step, look):
        least, changed, looked = None, time.monotonic(), 0.0
        while left := waiting(depths := site.depths()):
            now = time.monotonic()
            if least is None or left < least:
                least, changed = left, now
            if now - changed > STUCK:
                raise RuntimeError("%d messages wait and nothing moves: %s" % (left, depths))
            if now - looked >= LOOK:
                looked = now
                look(depths)
                self.progress.say(step, "all injected, %d wait" % left)
            time.sleep(STEP)
        look(depths)

    def warm_up(self, site, backend, mail, step):
        """One batch, then statistics and new connections, then another. The next measure() looks for this mail too."""
        labels = self.pass_through(site, mail, step + ": warm-up")[0]
        backend.settle()
        self._warmed_up = labels | self.pass_through(site, mail, step + ": warm-up")[0]

    def measure(self, site, backend, mail, step):
        """Returns a dictionary of figures and {instance: [(second, waiting)]}."""
        groups = {**backend.cpu_groups(), **{"postfix " + name: pids for name, pids in site.masters().items()}}
        meter, depths_seen, positions = CpuMeter(groups), {name: [] for name in site.names}, site.log_positions()
        watch = start_watch(self.scratch) if self.watch_syncs else None
        begin = time.monotonic()

        def look(depths):
            meter.look()
            for name, queues in depths.items():
                depths_seen[name].append((time.monotonic() - begin, sum(queues.values())))

        meter.begin()
        before = (*machine_ticks(), *self.disk.counters())
        try:
            labels, injected, seconds, load_cpu = self.pass_through(site, mail, step, look)
            totals, kinds = meter.end()
            after = (*machine_ticks(), *self.disk.counters())
        finally:
            syncs = watch.end() if watch else []
        figures = {"messages": mail.messages, "seconds": seconds, "rate": mail.messages / seconds, "injection_rate": mail.messages / injected}
        figures.update(cpu_figures(totals, kinds, load_cpu, mail.messages))
        if watch:
            figures.update(sync_figures(syncs, meter.pids, watch.name, mail.messages))
        figures.update(machine_figures(before, after, sum(totals.values()) + load_cpu, mail.messages))
        figures["peak_waiting"] = max((sum(now) for now in zip(*[[n for _, n in seen] for seen in depths_seen.values()])), default=0)
        self.progress.say(step + ": comparing what is stored with what was sent")
        figures.update(log_figures(site.log_since(positions)))
        figures["lost"], figures["doubled"] = compare(labels | self._warmed_up, backend.stored())
        self._warmed_up = set()
        return figures, depths_seen


def waiting(depths):
    return sum(sum(queues.values()) for queues in depths.values())


def machine_figures(before, after, known, messages):
    """before, after: ticks busy, idle, stolen, then the device's writes and flushes; known: CPU seconds of all that is measured. What else was
    busy is foreign; bench/postfix itself and bpftrace are in that."""
    busy, idle, steal = (b - a for a, b in zip(before[:3], after[:3]))
    total = max(1, busy + idle + steal)
    writes, flushes = (None if a is None else (b - a) / messages for a, b in zip(before[3:], after[3:]))
    return {"idle": 100 * idle / total, "steal": 100 * steal / total, "foreign": max(0.0, 100 * (busy - known * TICKS) / total),
            "device_writes": writes, "device_flushes": flushes}


def cpu_figures(totals, kinds, load_cpu, messages):
    """Milliseconds per message: daemon, database, Postfix with its kinds of processes (HAProxy apart), the injecting processes."""
    per_message = lambda seconds: 1000 * seconds / messages
    postfix, haproxy, by_kind = 0.0, None, {}
    for name, seconds in totals.items():
        if name == "postfix haproxy":
            haproxy = per_message(seconds)
        elif name.startswith("postfix "):
            postfix += seconds
            for kind, used in kinds[name].items():
                by_kind[kind] = by_kind.get(kind, 0) + per_message(used)
    return {"cpu_daemon": per_message(totals["daemon"]), "cpu_database": per_message(totals["database"]) if "database" in totals else None,
            "cpu_postfix": per_message(postfix), "cpu_haproxy": haproxy, "cpu_load": per_message(load_cpu), "cpu_kinds": by_kind}


def sync_figures(syncs, pids, how, messages):
    """Of Postfix's own flushes and of the store's (daemon and database); a probe's belong to neither."""
    postfix = set().union(*(found for name, found in pids.items() if name.startswith("postfix ")))
    store = set().union(*(found for name, found in pids.items() if not name.startswith("postfix ")))
    figures = {"sync_how": how}
    for kind, wanted in (("queue", postfix), ("store", store)) if how == "traced" else (("probe", {0}),):
        times = [us for pid, us in syncs if pid in wanted]
        figures[kind + "_syncs"] = len(times) / messages if how == "traced" else None
        for share in (0.5, 0.9, 0.99):
            value = percentile(times, share)
            figures["%s_sync_p%d" % (kind, 100 * share)] = None if value is None else value / 1000
    return figures


def log_figures(log):
    sent = log.total("lmtp", "sent")
    return {"sent": sent, "deferred": log.total("lmtp", "deferred") + log.total("relay", "deferred"),
            "bounced": log.total("lmtp", "bounced") + log.total("relay", "bounced"), "lmtp_connections": log.total("lmtp", "connections"),
            "in_queue": log.total("lmtp", "waiting") / sent if sent else None,
            "shares": "/".join(str(count) for count in log.shares().values()), "trouble": log.trouble}
