#!/usr/bin/env python3
"""bench/postfix end to end, 30 messages per run."""
import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/postfix")
MESSAGES = 30


def processes_in(folder):
    """Whose command line or working folder (Postfix's is its queue) is below the folder, also when that is gone."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, encoding="utf-8", errors="replace") as f:
                if folder in f.read() or folder in os.readlink("/proc/%s/cwd" % pid):
                    found.append(pid)
        except OSError:
            continue
    return found


class Experiment(unittest.TestCase):
    def run_bench(self, experiment, *arguments):
        """Returns the folder of results."""
        self.folder = tempfile.mkdtemp(prefix="lmtpd-bt.")
        self.addCleanup(shutil.rmtree, self.folder)
        scratch = os.path.join(self.folder, "scratch")
        os.chmod(self.folder, 0o755)
        os.mkdir(scratch, 0o755)
        done = subprocess.run([BENCH, experiment, "--messages", str(MESSAGES), "--warm-up", "10", "--no-install", "--programs",
                               os.environ["LMTPD_BIN"], "--results", self.folder, "--scratch", scratch, *arguments],
                              capture_output=True, text=True, timeout=500, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(os.listdir(scratch), [], "the scratch folder is left")
        self.assertEqual(processes_in(scratch), [], "processes are left")
        return os.path.join(self.folder, "postfix-" + experiment)

    def rows(self, folder, name="runs.csv"):
        with open(os.path.join(folder, name), encoding="utf-8", newline="") as f:
            return list(csv.DictReader(f))

    def assert_sound(self, rows):
        for row in rows:
            self.assertEqual((row["lost"], row["doubled"], row["deferred"], row["bounced"]), ("0", "0", "0", "0"), row)
            self.assertEqual(row["messages"], str(MESSAGES))
            for figure in ("seconds", "rate", "cpu_postfix", "cpu_load"):
                self.assertGreater(float(row[figure]), 0, (figure, row))

    def assert_plots(self, folder, *names):
        wanted = ["%s.%s" % (name, ending) for name in names for ending in ("png", "svg")] if shutil.which("gnuplot") else []
        for name in wanted:
            self.assertGreater(os.path.getsize(os.path.join(folder, name)), 1000, name)


class DriverSwitch(Experiment):
    def test_each_store_and_the_sink(self):
        folder = self.run_bench("driver-switch", "--repeat", "1", "--indexes", "lean")
        rows = self.rows(folder)
        self.assertEqual([row["backend"] for row in rows], ["PostgreSQL", "MariaDB", "SQLite", "discarding sink"])
        self.assert_sound(rows)
        for row in rows[:2]:
            self.assertGreater(float(row["cpu_database"]), 0)
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as f:
            run = json.load(f)
        self.assertIn("PostgreSQL", " ".join(run["facts"]))
        measured = {(goal["figure"], goal["engine"]) for goal in run["goals"] if goal["verdict"] != "not measured"}
        self.assertIn(("delivery rate / with the sink, lean indexes", "MariaDB"), measured)
        self.assertIn(("MariaDB / PostgreSQL, lean indexes", "MariaDB"), measured)
        self.assertNotIn(("delivery rate / with the sink, dbmail indexes", "MariaDB"), measured)
        self.assert_plots(folder, "rate", "cpu")


class Instances(Experiment):
    def test_each_configuration(self):
        folder = self.run_bench("instances", "--backend", "sqlite", "--low", "6", "--high", "12")
        rows = self.rows(folder)
        self.assertEqual([row["configuration"] for row in rows], ["A low", "B low", "A high", "B high", "B haproxy", "A single", "B single"])
        self.assert_sound(rows)
        for row in rows:
            shares = [int(share) for share in row["shares"].split("/")]
            self.assertEqual(sum(shares), MESSAGES, row)
            self.assertEqual(len(shares) == 1, row["configuration"].startswith("A"), row)
            if row["sync_how"] == "traced":  # one flush per queue
                self.assertEqual(float(row["queue_syncs"]), 1 if row["configuration"].startswith("A") else 2, row)
        depths = self.rows(folder, "queue-depth.csv")
        self.assertEqual({row["instance"] for row in depths if row["configuration"] == "B low"},
                         {"postfix-in", "postfix-out1", "postfix-out2", "postfix-out3"})
        self.assertTrue(any(int(row["waiting"]) for row in depths))
        self.assert_plots(folder, "rate", "queue-depth", "cpu")


if __name__ == "__main__":
    unittest.main()
