"""Single against multi-instance: the same mail through one instance and through one inbound and several outbound ones, changing one thing at a
time, so that it shows which of them a gain comes from."""
import os

from behind import plots
from behind.backends import DOMAIN, Sink, Store, make_daemon, recipients
from behind.driver_switch import summary
from behind.load import Mail
from behind.site import Shape, Site
from behind.table import Column, as_text, ratio, write_csv
from comparison.table import goal

COLUMNS = [
    Column("name", "configuration"), Column("concurrency", "LMTP", "%d"), Column("batching", "batching"), Column("seconds", "seconds", "%.1f"),
    Column("rate", "msg/s", "%.0f"), Column("injection_rate", "queued/s", "%.0f"), Column("peak_waiting", "most waiting", "%d"),
    Column("in_queue", "s in queue", "%.2f"), Column("cpu_postfix", "Postfix ms", "%.2f"), Column("cpu_haproxy", "HAProxy ms", "%.2f"),
    Column("cpu_daemon", "daemon ms", "%.3f"), Column("cpu_database", "database ms", "%.3f"), Column("queue_syncs", "queue fsync/msg", "%.2f"),
    Column("store_syncs", "store fsync/msg", "%.2f"), Column("device_flushes", "flush/msg", "%.2f"), Column("queue_sync_p50", "fsync p50 ms", "%.2f"),
    Column("queue_sync_p99", "p99 ms", "%.2f"), Column("probe_sync_p50", "probe p50 ms", "%.2f"), Column("probe_sync_p99", "probe p99 ms", "%.2f"),
    Column("shares", "shares"), Column("idle", "idle %", "%.0f"), Column("foreign", "foreign %", "%.0f"),
    Column("deferred", "deferred", "%d"), Column("lost", "lost", "%d"), Column("doubled", "doubled", "%d")]
KINDS = ("smtpd", "cleanup", "qmgr", "smtp", "lmtp", "trivial-rewrite", "master", "scache", "postlogd", "anvil", "ended")


class Configuration:
    def __init__(self, key, shape, batching=True):
        self.key = key
        self.shape = shape
        self.batching = batching

    @property
    def name(self):
        if self.shape.outbound == 0:
            return "A: 1 instance"
        return "B: 1 + %d, %s" % (self.shape.outbound, "randmap" if self.shape.balance == "randmap" else "HAProxy " + self.shape.balance)


def configurations(low, high, outbound, batching):
    """From A with few LMTP sessions to B with many, each step by one thing; without batching only where there is a daemon that batches."""
    found = [Configuration("A low", Shape(0, low)), Configuration("B low", Shape(outbound, low)), Configuration("A high", Shape(0, high)),
             Configuration("B high", Shape(outbound, high)), Configuration("B haproxy", Shape(outbound, high, "roundrobin"))]
    if batching:
        found += [Configuration("A single", Shape(0, high), False), Configuration("B single", Shape(outbound, high), False)]
    return found


# what changes, from, to
STEPS = (("more instances, same concurrency", "A low", "B low"), ("more instances, same concurrency", "A high", "B high"),
         ("more concurrency, one instance", "A low", "A high"), ("more concurrency, several instances", "B low", "B high"),
         ("HAProxy instead of randmap", "B high", "B haproxy"), ("batching, one instance", "A single", "A high"),
         ("batching, several instances", "B single", "B high"), ("all at once, as published", "A low", "B high"))


def attribution(rates):
    """rates: {configuration's key: messages/s}. Rows of what changes and by how much the rate does."""
    return [{"change": change, "from": before, "to": after, "factor": ratio(rates[after], rates[before])}
            for change, before, after in STEPS if before in rates and after in rates]


def attribution_as_text(rows):
    return as_text([Column("change", "what changes"), Column("from", "from"), Column("to", "to"), Column("factor", "rate ×", "%.2f")], rows)


class Spread:
    """options: messages, sizes, injectors, low, high, outbound, repeat, warm_up, sink_delay; server: None for the sink."""

    def __init__(self, bench, options, server):
        self.bench = bench
        self.options = options
        self.daemon = make_daemon(bench.programs, os.path.join(bench.scratch, "lmtpd"))
        self.backend = (Store(self.daemon, server, options.indexes[0]) if server else
                        Sink(bench.programs, self.daemon.folder, options.sink_delay))
        self.batches = server is not None
        self.samples = {}
        self.depths = {}
        self.raw = []

    def run(self):
        options = self.options
        site = Site(os.path.join(self.bench.scratch, "site"), self.daemon.config, DOMAIN)
        mail = Mail(options.messages, options.sizes, recipients(20), options.injectors)
        todo = configurations(options.low, options.high, options.outbound, self.batches)
        self.configurations = {configuration.key: configuration for configuration in todo}
        try:
            for number in range(options.repeat):
                for configuration in todo:
                    self._sample(site, configuration, mail, number)
        finally:
            self.backend.stop()
            site.remove()

    def _sample(self, site, configuration, mail, number):
        step = "%s, %d sessions, run %d of %d" % (configuration.name, configuration.shape.concurrency, number + 1, self.options.repeat)
        self.bench.progress.say(step, "instances")
        site.create(configuration.shape)
        self.backend.renew()
        self.backend.options = {} if configuration.batching else {"delivery": {"batch_messages": 1}}
        self.backend.start()
        half = Mail(max(mail.processes, self.options.warm_up // 2), mail.sizes, mail.recipients, mail.processes)
        self.bench.warm_up(site, self.backend, half, step)
        figures, depths = self.bench.measure(site, self.backend, mail, step)
        self.backend.stop()
        site.remove()
        self.samples.setdefault(configuration.key, []).append(figures)
        self.depths[configuration.key] = depths
        self.raw.append({"configuration": configuration.key, "name": configuration.name, "concurrency": configuration.shape.concurrency,
                         "batching": configuration.batching, "run": number + 1, **figures,
                         **{"cpu_" + kind: ms for kind, ms in figures["cpu_kinds"].items()}})

    def rows(self):
        rows = []
        for key, samples in self.samples.items():
            configuration = self.configurations[key]
            rows.append({**summary((None, None), samples), "key": key, "name": configuration.name, "concurrency": configuration.shape.concurrency,
                         "batching": ("on" if configuration.batching else "off") if self.batches else None, "shares": samples[-1]["shares"],
                         "kinds": samples[-1]["cpu_kinds"]})
        return rows

    def results(self):
        """(tables, goals)"""
        rows = self.rows()
        shown = [column for column in COLUMNS if any(row.get(column.key) is not None for row in rows)]
        kinds = [Column("name", "ms CPU per message"), Column("concurrency", "LMTP", "%d"), Column("batching", "batching")]
        kinds += [Column(kind, kind, "%.3f") for kind in KINDS] + [Column("other", "other", "%.3f")]
        by_kind = [{**row, **row["kinds"], "other": sum(ms for kind, ms in row["kinds"].items() if kind not in KINDS)} for row in rows]
        text = "\n".join([as_text(shown, rows), attribution_as_text(attribution({row["key"]: row["rate"] for row in rows})), as_text(kinds, by_kind)])
        return text, [goal("messages lost or doubled", "", sum(row["lost"] + row["doubled"] for row in rows), 0, False)]

    def write(self, folder):
        rows = self.rows()
        skip = ("trouble", "cpu_kinds")
        keys = [key for key in dict.fromkeys(key for row in self.raw for key in row) if key not in skip]
        write_csv(os.path.join(folder, "runs.csv"), self.raw, keys)
        depths = [{"configuration": key, "instance": name, "second": second, "waiting": count} for key, seen in self.depths.items()
                  for name, points in seen.items() for second, count in points]
        write_csv(os.path.join(folder, "queue-depth.csv"), depths, ["configuration", "instance", "second", "waiting"])
        title = "%d messages of %d to %d octets" % (self.options.messages, *self.options.sizes)
        names = ["%s, %d%s" % (row["name"], row["concurrency"], ", no batching" if row["batching"] == "off" else "") for row in rows]
        plots.bars(os.path.join(folder, "rate"), "Instances: " + title, "messages/s", names, {"delivered": [row["rate"] for row in rows]})
        curves = {}
        for name, key in zip(names, self.depths):
            by_instance = list(self.depths[key].values())
            curves[name] = [(points[0][0], sum(count for _, count in points)) for points in zip(*by_instance)]
        plots.lines(os.path.join(folder, "queue-depth"), "Mail that waits: " + title, ("seconds", "messages in all queues"), curves)
        kinds = [kind for kind in KINDS if any(row["kinds"].get(kind, 0) > 0.005 for row in rows)]
        plots.bars(os.path.join(folder, "cpu"), "Postfix: CPU by kind of process", "ms per message", names,
                   {kind: [row["kinds"].get(kind) for row in rows] for kind in kinds}, stacked=True)
