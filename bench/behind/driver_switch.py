"""The driver switch: the same mail through the same Postfix into one store after the other, and into a sink that discards."""
import os

from behind import plots
from behind.backends import DOMAIN, Sink, Store, make_daemon, recipients
from behind.load import Mail
from behind.site import Shape, Site
from behind.table import Column, as_text, median, ratio, write_csv
from comparison.table import goal

COLUMNS = [
    Column("backend", "behind Postfix"), Column("indexes", "indexes"), Column("runs", "runs", "%d"), Column("seconds", "seconds", "%.2f"),
    Column("rate", "msg/s", "%.0f"), Column("to_sink", "of sink", "%.2f"), Column("injection_rate", "queued/s", "%.0f"),
    Column("cpu_daemon", "daemon ms", "%.3f"), Column("cpu_database", "database ms", "%.3f"), Column("cpu_postfix", "Postfix ms", "%.2f"),
    Column("cpu_load", "injectors ms", "%.2f"), Column("daemon_of_postfix", "daemon/Postfix", "%.3f"),
    Column("in_queue", "s in queue", "%.2f"), Column("idle", "idle %", "%.0f"), Column("foreign", "foreign %", "%.0f"),
    Column("deferred", "deferred", "%d"), Column("lost", "lost", "%d"),
    Column("doubled", "doubled", "%d")]
SUMS = ("deferred", "bounced", "lost", "doubled")


def summary(key, samples):
    """One row: medians over the runs, sums of what must not be."""
    row = {"backend": key[0], "indexes": key[1], "runs": len(samples)}
    for figure in samples[0]:
        values = [sample[figure] for sample in samples]
        if figure in SUMS:
            row[figure] = sum(values)
        elif all(value is None or isinstance(value, (int, float)) for value in values):
            row[figure] = median(values)
    row["daemon_of_postfix"] = ratio(row["cpu_daemon"], row["cpu_postfix"]) if key[1] else None
    return row


def with_sink(rows):
    """Each row's rate against the sink's."""
    sink = next((row["rate"] for row in rows if row["indexes"] is None), None)
    for row in rows:
        row["to_sink"] = ratio(row["rate"], sink) if row["indexes"] else None
    return rows


def find(rows, backend, indexes):
    return next((row for row in rows if row["backend"] == backend and row["indexes"] == indexes), {})


def goals(rows, first_message):
    """first_message: seconds from "instances create" to the first delivered message."""
    out = []
    for indexes, bound in (("dbmail", 0.6), ("lean", 0.7)):
        for backend in ("PostgreSQL", "MariaDB"):
            out.append(goal("delivery rate / with the sink, %s indexes" % indexes, backend, find(rows, backend, indexes).get("to_sink"), bound))
    daemons = [row for row in rows if row["indexes"]]
    for row in daemons:
        if row["backend"] != "SQLite":  # there the database's work is the daemon's own
            out.append(goal("CPU of daemon / CPU of Postfix, %s indexes" % row["indexes"], row["backend"], row["daemon_of_postfix"], 0.1, False))
    for indexes in ("dbmail", "lean"):
        quotient = ratio(find(rows, "MariaDB", indexes).get("rate"), find(rows, "PostgreSQL", indexes).get("rate"))
        out.append(goal("MariaDB / PostgreSQL, %s indexes" % indexes, "MariaDB", quotient, 0.85))
    lost = sum(row["lost"] + row["doubled"] for row in rows) if rows else None
    out.append(goal("messages lost or doubled", "all", lost, 0, False))
    out.append(goal("instances create to first delivered message", "", first_message, 15, False, " s"))
    return out


class DriverSwitch:
    """options: messages, size, injectors, concurrency, repeat, warm_up, indexes; servers: those of comparison.databases."""

    def __init__(self, bench, options, servers):
        self.bench = bench
        self.options = options
        self.servers = servers
        self.daemon = make_daemon(bench.programs, os.path.join(bench.scratch, "lmtpd"))
        self.samples = {}
        self.raw = []

    def backends(self):
        sink = Sink(self.bench.programs, self.daemon.folder)
        return [Store(self.daemon, server, indexes) for server in self.servers for indexes in self.options.indexes] + [sink]

    def run(self):
        options, backends = self.options, self.backends()
        for backend in backends:
            self.bench.progress.say("making a store on %s" % backend.label)
            backend.renew()
        site = Site(os.path.join(self.bench.scratch, "site"), self.daemon.config, DOMAIN)
        mail = Mail(options.messages, (options.size, options.size), recipients(1), options.injectors)
        try:
            self.first_message = self._first_message(site, backends[0])
            for number in range(options.repeat):
                # One after the other, and all of it again: what disturbs, disturbs all alike.
                for backend in backends:
                    self._sample(site, backend, mail, number)
        finally:
            for backend in backends:
                backend.stop()
            site.remove()
            for backend in backends:
                backend.drop()

    def _first_message(self, site, backend):
        self.bench.progress.say("Postfix instances, first message")
        backend.start()
        seconds = site.create(Shape(0, self.options.concurrency))
        seconds += self.bench.pass_through(site, Mail(1, (self.options.size,) * 2, recipients(1)), "first message")[2]
        backend.stop()
        return seconds

    def _sample(self, site, backend, mail, number):
        step = "%s%s, run %d of %d" % (backend.label, " (%s)" % backend.indexes if backend.indexes else "", number + 1, self.options.repeat)
        backend.start()
        half = Mail(max(mail.processes, self.options.warm_up // 2), mail.sizes, mail.recipients, mail.processes)
        self.bench.warm_up(site, backend, half, step)
        figures, _ = self.bench.measure(site, backend, mail, step)
        backend.stop()
        self.samples.setdefault((backend.label, backend.indexes), []).append(figures)
        self.raw.append({"backend": backend.label, "indexes": backend.indexes, "run": number + 1, **figures})

    def rows(self):
        return with_sink([summary(key, samples) for key, samples in self.samples.items()])

    def results(self):
        """(table, goals)"""
        rows = self.rows()
        return as_text(COLUMNS, rows), goals(rows, self.first_message)

    def write(self, folder):
        rows = self.rows()
        keys = ["backend", "indexes", "run", "messages", "seconds", "rate", "injection_rate", "cpu_daemon", "cpu_database", "cpu_postfix", "cpu_load",
                "in_queue", "lmtp_connections", "device_flushes", "idle", "foreign", "steal", "deferred", "bounced", "lost", "doubled"]
        write_csv(os.path.join(folder, "runs.csv"), self.raw, keys)
        names = list(dict.fromkeys(row["backend"] for row in rows))
        groups = {indexes: [find(rows, name, indexes).get("rate") for name in names] for indexes in self.options.indexes}
        if sink := find(rows, Sink.label, None).get("rate"):
            groups["discards"] = [sink if name == Sink.label else None for name in names]
        plots.bars(os.path.join(folder, "rate"), "Driver switch: %d messages of %d octets, %d LMTP sessions" % (
            self.options.messages, self.options.size, self.options.concurrency), "messages/s", names, groups)
        parts = {"Postfix": "cpu_postfix", "injectors": "cpu_load", "database": "cpu_database", "daemon": "cpu_daemon"}
        labels = ["%s %s" % (row["backend"], row["indexes"] or "") for row in rows]
        plots.bars(os.path.join(folder, "cpu"), "Driver switch: CPU", "ms per message", labels,
                   {title: [row.get(key) for row in rows] for title, key in parts.items()}, stacked=True)
