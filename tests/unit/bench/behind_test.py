#!/usr/bin/env python3
"""The logic of bench/postfix: Postfix's log, CPU of process trees, tables, attribution, what is lost or doubled. usage: behind_test.py BENCH"""
import csv
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))

from behind import backends, cpu, disk, driver_switch, load, maillog, run, site, spread, table  # noqa: E402  pylint: disable=wrong-import-position

LOG = """\
Nov 30 11:02:02 h postfix-in/smtp[11]: 4f3K20: to=<a@example.org>, relay=127.0.0.1[127.0.0.1]:10126, delay=0.1, delays=0.02/0/0.03/0.05, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued as 4f3K21)
Nov 30 11:02:02 h postfix-out1/lmtp[12]: 4f3K21: to=<a@example.org>, relay=h[/run/lmtpd/lmtp.sock], delay=0.6, delays=0.1/0.4/0.05/0.05, dsn=2.0.0, status=sent (250 2.0.0 stored)
Nov 30 11:02:02 h postfix-out1/lmtp[12]: 4f3K22: to=<b@example.org>, relay=h[/run/lmtpd/lmtp.sock], conn_use=2, delay=0.2, delays=0.1/0/0/0.1, dsn=2.0.0, status=sent (250 2.0.0 stored)
Nov 30 11:02:02 h postfix-out2/lmtp[13]: 4f3K23: to=<c@example.org>, relay=h[/run/lmtpd/lmtp.sock], delay=0.2, delays=0.1/0/0/0.1, dsn=4.3.0, status=deferred (host h[/run/lmtpd/lmtp.sock] said: 451 4.3.0 status=sent later)
Nov 30 11:02:03 h postfix-out2/lmtp[13]: 4f3K23: to=<c@example.org>, orig_to=<d@example.org>, relay=h[/run/lmtpd/lmtp.sock], delay=0.2, delays=0.1/0/0/0.1, dsn=2.0.0, status=sent (250 2.0.0 stored)
Nov 30 11:02:03 h postfix-out2/lmtp[13]: 4f3K24: to=<>, relay=none, delay=0.2, delays=0.1/0/0/0.1, dsn=5.1.1, status=bounced (unknown user: "x", dsn=2.0.0, status=sent)
Nov 30 11:02:03 h postfix-out2/qmgr[9]: 4f3K24: removed
Nov 30 11:02:03 h postfix-out2/master[8]: warning: process /usr/lib/postfix/sbin/smtpd pid 7 exit status 1
"""


class MailLog(unittest.TestCase):
    def setUp(self):
        self.log = maillog.MailLog().read(LOG.splitlines(keepends=True))

    def test_each_hop_counts_its_own(self):
        self.assertEqual(self.log.total("lmtp", "sent"), 3)
        self.assertEqual(self.log.total("smtp", "sent"), 1)
        self.assertEqual(self.log.shares(), {"postfix-out1": 2, "postfix-out2": 1})

    def test_a_reply_that_quotes_an_outcome_is_not_one(self):
        self.assertEqual((self.log.total("lmtp", "deferred"), self.log.total("lmtp", "bounced")), (1, 1))

    def test_a_kept_connection_is_counted_once(self):
        self.assertEqual(self.log.hops["postfix-out1", "lmtp"].connections, 1)

    def test_time_in_the_queue_is_that_of_sent_mail(self):
        self.assertAlmostEqual(self.log.hops["postfix-out1", "lmtp"].waiting, 0.6)

    def test_warnings_are_kept_and_nothing_else(self):
        self.assertEqual(len(self.log.trouble), 1)
        self.assertIn("exit status 1", self.log.trouble[0])


class LostAndDoubled(unittest.TestCase):
    def test_all_there_once(self):
        expected = load.expected_labels(7000, [2, 1])
        self.assertEqual(expected, {"m7000-0", "m7000-1", "m7001-0"})
        self.assertEqual(load.compare(expected, backends.label_counts(["m7000-0 a b", "m7000-1 a", "m7001-0", "m1-1 of another run"])), (0, 0))

    def test_a_missing_one_and_surplus_copies(self):
        stored = backends.label_counts(["m1-0 x", "m1-0 x", "m1-0 x", "m1-2 x", "m9-9 x", "m9-9 x"])
        self.assertEqual(load.compare({"m1-0", "m1-1", "m1-2"}, stored), (1, 2))

    def test_every_message_has_one_injector(self):
        for messages in (1, 7, 10, 1003):
            mail = load.Mail(messages, (1, 1), ["a"], 10)
            self.assertEqual(sum(mail.shares()), messages)
            self.assertGreater(min(mail.shares()), 0)


class Cpu(unittest.TestCase):
    def test_names_with_blanks_and_parentheses(self):
        text = "42 (a) b (c) S 7 " + " ".join(["0"] * 9) + " 100 50 20 10 20 0 3 0"
        self.assertEqual(cpu.parse_stat(text), ("a) b (c", 7, 150 * cpu.TICK, 30 * cpu.TICK))

    def test_a_tree_with_children_that_end_is_counted_whole(self):
        burn = "import time\nend = time.process_time() + %s\nwhile time.process_time() < end: pass"
        script = "import subprocess, sys\ninput()\nfor _ in range(3): subprocess.run([sys.executable, '-c', %r])\n%s\nprint()\ninput()" % (
            burn % 0.1, burn % 0.1)
        with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            meter = cpu.CpuMeter({"tree": [child.pid], "none": []})
            meter.begin()
            child.stdin.write("\n")
            child.stdin.flush()
            child.stdout.readline()
            totals, kinds = meter.end()
            child.stdin.write("\n")
            child.stdin.flush()
        self.assertGreater(totals["tree"], 0.38)
        self.assertLess(totals["tree"], 1.5)
        self.assertAlmostEqual(sum(kinds["tree"].values()), totals["tree"])
        self.assertGreater(kinds["tree"]["ended"], 0.28)
        self.assertEqual(totals["none"], 0)

    def test_a_living_child_belongs_to_its_root(self):
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
            self.assertIn(child.pid, cpu.tree([os.getpid()]))
            child.communicate(b"\n")
        self.assertEqual(cpu.tree([child.pid]), {})


class Figures(unittest.TestCase):
    def test_cpu_per_message_by_kind(self):
        totals = {"daemon": 0.1, "database": 1.0, "postfix postfix-in": 2.0, "postfix postfix-out1": 1.0, "postfix haproxy": 0.5}
        kinds = {"daemon": {}, "database": {}, "postfix postfix-in": {"smtpd": 1.5, "qmgr": 0.5}, "postfix postfix-out1": {"smtpd": 1.0},
                 "postfix haproxy": {"haproxy": 0.5}}
        found = run.cpu_figures(totals, kinds, 0.3, 1000)
        self.assertEqual([found[key] for key in ("cpu_daemon", "cpu_database", "cpu_postfix", "cpu_haproxy", "cpu_load")], [0.1, 1, 3, 0.5, 0.3])
        self.assertEqual(found["cpu_kinds"], {"smtpd": 2.5, "qmgr": 0.5})

    def test_what_nobody_measured_is_foreign(self):
        found = run.machine_figures((0, 0, 0, 10, None), (600, 300, 100, 40, None), 5.0, 10)
        busy = 100 * (600 - 5.0 * run.TICKS) / 1000
        self.assertEqual((found["idle"], found["steal"], found["foreign"]), (30, 10, busy))
        self.assertEqual((found["device_writes"], found["device_flushes"]), (3, None))
        self.assertEqual(run.machine_figures((0, 0, 0, 0, 0), (0, 0, 0, 0, 0), 5.0, 10)["foreign"], 0)

    def test_flushes_belong_to_who_made_them(self):
        syncs = disk.parse_trace("Attaching 5 probes...\n1 1000\n1 3000\n2 500\n9 999999\n\n")
        found = run.sync_figures(syncs, {"postfix postfix-in": {1}, "database": {2}, "daemon": {3}}, "traced", 2)
        self.assertEqual((found["queue_syncs"], found["store_syncs"]), (1, 0.5))
        self.assertEqual((found["queue_sync_p50"], found["queue_sync_p99"], found["store_sync_p99"]), (1, 3, 0.5))

    def test_a_probe_does_not_count_flushes(self):
        found = run.sync_figures([(0, 2000)], {"daemon": {3}}, "probed", 2)
        self.assertEqual((found["probe_sync_p50"], found["probe_syncs"]), (2, None))

    def test_probe_measures_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            probe = disk.SyncProbe(folder)
            probe.start()
            end = time.monotonic() + 60
            while not probe.times and time.monotonic() < end:
                time.sleep(0.02)
            self.assertGreater(len(probe.end()), 0)
            self.assertEqual(os.listdir(folder), [])

    def test_device_counters_are_those_of_the_folders_device(self):
        with tempfile.TemporaryDirectory() as folder:
            device = os.stat(folder).st_dev
            path = os.path.join(folder, "diskstats")
            with open(path, "w", encoding="ascii") as f:
                f.write("   7       0 loop0 " + " ".join("1" * 17) + "\n")
                f.write("%4d %7d vda 1 2 3 4 55 6 7 8 9 10 11 12 13 14 15 66 17\n" % (os.major(device), os.minor(device)))
            self.assertEqual(disk.Disk(folder, path).counters(), (55, 66))
            other = disk.Disk(folder, path)
            other.numbers = ["999", "0"]
            self.assertEqual(other.counters(), (None, None))


class Tables(unittest.TestCase):
    COLUMNS = [table.Column("name", "what"), table.Column("rate", "msg/s", "%.1f")]

    def test_text(self):
        text = table.as_text(self.COLUMNS, [{"name": "a", "rate": 12.34}, {"name": "longer", "rate": None}])
        self.assertEqual(text, "| what   | msg/s |\n|--------|------:|\n| a      |  12.3 |\n| longer |     – |\n")

    def test_csv_takes_given_keys_and_leaves_blank_what_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv")
            table.write_csv(path, [{"a": 1.23456789, "b": None, "c": 3}, {"a": 2}], ["a", "b"])
            with open(path, encoding="utf-8", newline="") as f:
                self.assertEqual(list(csv.reader(f)), [["a", "b"], ["1.23457", ""], ["2", ""]])

    def test_percentiles_and_medians(self):
        self.assertEqual([table.percentile(range(1, 101), share) for share in (0.5, 0.9, 0.99, 1)], [50, 90, 99, 100])
        self.assertEqual((table.percentile([7], 0.99), table.percentile([], 0.5)), (7, None))
        self.assertEqual((table.median([3, None, 1]), table.median([1, 2]), table.median([None])), (2, 1.5, None))
        self.assertEqual((table.ratio(1, 2), table.ratio(None, 2), table.ratio(1, None), table.ratio(1, 0)), (0.5, None, None, None))


def sample(rate, daemon=0.1, **more):
    return {"rate": rate, "cpu_daemon": daemon, "cpu_postfix": 2.0, "lost": 0, "doubled": 0, "deferred": 0, "bounced": 0, "cpu_kinds": {}, **more}


class DriverSwitchGoals(unittest.TestCase):
    def rows(self, **changes):
        samples = {("PostgreSQL", "dbmail"): [sample(300), sample(100), sample(320)], ("MariaDB", "dbmail"): [sample(250)],
                   ("discarding sink", None): [sample(500)], **changes.get("more", {})}
        return driver_switch.with_sink([driver_switch.summary(key, found) for key, found in samples.items()])

    def verdicts(self, rows, seconds=3.0):
        return {(goal["figure"], goal["engine"]): goal["verdict"] for goal in driver_switch.goals(rows, seconds)}

    def test_rates_are_medians_against_the_sink(self):
        row = driver_switch.find(self.rows(), "PostgreSQL", "dbmail")
        self.assertEqual((row["rate"], row["to_sink"], row["runs"]), (300, 0.6, 3))

    def test_verdicts(self):
        found = self.verdicts(self.rows())
        self.assertEqual(found["delivery rate / with the sink, dbmail indexes", "PostgreSQL"], "reached")
        self.assertEqual(found["delivery rate / with the sink, dbmail indexes", "MariaDB"], "falls short")
        self.assertEqual(found["delivery rate / with the sink, lean indexes", "MariaDB"], "not measured")
        self.assertEqual(found["MariaDB / PostgreSQL, dbmail indexes", "MariaDB"], "falls short")
        self.assertEqual(found["CPU of daemon / CPU of Postfix, dbmail indexes", "MariaDB"], "reached")
        self.assertEqual(self.verdicts(self.rows(), 16)["instances create to first delivered message", ""], "falls short")

    def test_one_lost_message_in_one_run_is_a_failure(self):
        more = {("MariaDB", "lean"): [sample(400), sample(400, lost=1)]}
        self.assertEqual(self.verdicts(self.rows(more=more))["messages lost or doubled", "all"], "falls short")

    def test_sqlite_has_no_goals_of_its_own(self):
        found = self.verdicts(self.rows(more={("SQLite", "dbmail"): [sample(400, daemon=1.0)]}))
        self.assertFalse([engine for _, engine in found if engine == "SQLite"])


class Shapes(unittest.TestCase):
    def test_concurrency_is_the_total(self):
        for outbound, total, limits in ((0, 60, [60]), (3, 60, [20, 20, 20]), (3, 20, [7, 7, 6])):
            self.assertEqual(site.Shape(outbound, total).per_instance(), limits)

    def test_each_step_changes_one_thing(self):
        found = {c.key: c for c in spread.configurations(20, 60, 3, True)}
        for change, before, after in spread.STEPS:
            a, b = found[before], found[after]
            differences = sum((a.shape.outbound != b.shape.outbound, a.shape.concurrency != b.shape.concurrency,
                               a.shape.balance != b.shape.balance, a.batching != b.batching))
            self.assertEqual(differences, 2 if change.startswith("all") else 1, change)

    def test_attribution(self):
        rows = spread.attribution({"A low": 100.0, "A high": 200.0, "B low": 50.0})
        self.assertEqual({(row["from"], row["to"]): row["factor"] for row in rows}, {("A low", "B low"): 0.5, ("A low", "A high"): 2})

    def test_the_sink_does_not_batch(self):
        self.assertEqual(len(spread.configurations(20, 60, 3, False)), 5)

    def test_queue_files_in_hashed_folders_count(self):
        with tempfile.TemporaryDirectory() as spool:
            for path in ("active/1", "active/2", "deferred/A/1", "deferred/B/C/2", "corrupt/9"):
                os.makedirs(os.path.join(spool, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(spool, path), "w", encoding="ascii"):
                    pass
            self.assertEqual(site.queue_sizes(spool), {"incoming": 0, "active": 2, "deferred": 2})


class Listener(unittest.TestCase):
    def test_without_a_socket_in_the_uri_nothing_is_guessed(self):
        self.assertIsNone(backends.listener_pid("mysql://u@127.0.0.1:3306/d"))
        self.assertIsNone(backends.listener_pid("mysql://u@localhost/d?socket=/nonexistent/s"))

    def test_the_listener_of_a_socket(self):
        import socket  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(folder + "/.s.PGSQL.5433")
            listener.listen()
            self.assertEqual(backends.listener_pid("postgresql:///d?host=%s&port=5433" % folder), os.getpid())


if __name__ == "__main__":
    unittest.main()
