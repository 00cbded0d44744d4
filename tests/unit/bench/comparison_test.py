#!/usr/bin/env python3
"""The logic of bench/compare: medians, table, goals, points, what it reads from lmtpd's log and from /proc. usage: comparison_test.py BENCH"""
import csv
import io
import os
import sqlite3
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))

from comparison import daemon, growth, plots, points, processes, table  # noqa: E402  pylint: disable=wrong-import-position

BASE = points.Point(engine="postgresql")


def sample(rate, **more):
    return {"rate": rate, "p50_ms": 1.0, "p99_ms": 9.0, "commit_p50_ms": 2.0, "raw_rate": 2000.0, "daemon_us": 100.0, "session_us": 80.0,
            "database_us": 1000.0, "memory_mib": 200.0, **more}


def row(point, *samples, label="PostgreSQL"):
    return table.row_of(point, label, "yes", list(samples))


class Medians(unittest.TestCase):
    def test_each_column_has_the_median_of_its_samples(self):
        found = row(BASE, sample(10), sample(1000), sample(20))
        self.assertEqual(found["rate"], 20)
        self.assertEqual(found["samples"], 3)

    def test_what_was_not_measured_is_none(self):
        found = row(BASE, sample(10, log_octets=None))
        self.assertIsNone(found["log_octets"])
        self.assertIsNone(found["driver_rate"])

    def test_share_of_the_ceiling_is_the_median_of_the_pairs(self):
        found = row(BASE, sample(100, raw_rate=200), sample(900, raw_rate=1000), sample(300, raw_rate=400))
        self.assertEqual(found["of_raw"], 0.75)


class Goals(unittest.TestCase):
    def verdicts(self, rows):
        return {g["figure"]: g["verdict"] for g in table.goals(rows, {"PostgreSQL": BASE}, 256)}

    def test_nothing_measured_is_nothing_reached(self):
        self.assertEqual(set(self.verdicts([]).values()), {"not measured"})

    def test_at_least(self):
        rows = [row(BASE, sample(1500)), row(BASE.other(sessions=1), sample(750))]
        self.assertEqual(self.verdicts(rows)["20 sessions / 1 session"], "reached")
        rows[1] = row(BASE.other(sessions=1), sample(751))
        self.assertEqual(self.verdicts(rows)["20 sessions / 1 session"], "falls short")

    def test_at_most(self):
        rows = [row(BASE, sample(1500))]
        self.assertEqual(self.verdicts(rows)["daemon CPU per 3 KB message, parsing to hand-over"], "reached")
        rows = [row(BASE, sample(1500, session_us=151))]
        self.assertEqual(self.verdicts(rows)["daemon CPU per 3 KB message, parsing to hand-over"], "falls short")

    def test_batching_is_compared_at_equal_sessions(self):
        rows = [row(BASE, sample(1200)), row(BASE.other(batch=1), sample(1000)), row(BASE.other(sessions=100), sample(1400)),
                row(BASE.other(sessions=100, batch=1), sample(1000))]
        found = self.verdicts(rows)
        self.assertEqual(found["batching on / batch cap 1, 20 sessions"], "reached")
        self.assertEqual(found["batching on / batch cap 1, 100 sessions"], "falls short")

    def test_latency_is_compared_with_one_commit(self):
        rows = [row(BASE, sample(1000)), row(BASE.other(sessions=1), sample(500, commit_p50_ms=1.5)),
                row(BASE.other(half_rate=True), sample(500, p99_ms=9.0))]
        self.assertEqual(self.verdicts(rows)["p99 at half of the maximum rate / one commit's latency"], "reached")
        rows[2] = row(BASE.other(half_rate=True), sample(500, p99_ms=9.1))
        self.assertEqual(self.verdicts(rows)["p99 at half of the maximum rate / one commit's latency"], "falls short")

    def test_memory_counts_the_budget(self):
        point = BASE.other(sessions=100, min_size=1000000, max_size=1000000)
        name = "peak memory, 100 sessions of 1 MB messages"
        self.assertEqual(self.verdicts([row(point, sample(50, memory_mib=384))])[name], "reached")
        self.assertEqual(self.verdicts([row(point, sample(50, memory_mib=385))])[name], "falls short")

    def test_growth_compares_the_largest_with_the_smallest_store(self):
        rows = [row(BASE.other(stored=10), sample(100)), row(BASE.other(stored=1000), sample(60))]
        self.assertEqual(self.verdicts(rows)["time per message at 1,000 / 10 stored"], "falls short")

    def test_engines_are_compared(self):
        other = points.Point(engine="mysql")
        rows = [row(BASE, sample(1000)), row(other, sample(800), label="MariaDB")]
        found = {g["figure"]: g["verdict"] for g in table.goals(rows, {"PostgreSQL": BASE, "MariaDB": other}, 256)}
        self.assertEqual(found["MariaDB / PostgreSQL, 20 sessions"], "reached")


class Output(unittest.TestCase):
    rows = [row(BASE, sample(1234.5)), row(BASE.other(sessions=1), sample(7))]

    def test_text_leaves_out_what_was_never_measured(self):
        text = table.to_text(self.rows)
        self.assertIn("1234", text)
        self.assertNotIn("driver msg/s", text)
        self.assertEqual(len(text.splitlines()), 3)

    def test_csv_can_be_read_back(self):
        read = list(csv.DictReader(io.StringIO(table.to_csv(self.rows))))
        self.assertEqual([float(r["rate"]) for r in read], [1234.5, 7])
        self.assertEqual(read[0]["durable"], "yes")

    def test_goals_fit_the_lines(self):
        text = table.goals_text(table.goals(self.rows, {"PostgreSQL": BASE}, 256))
        self.assertTrue(all(len(line) == len(line.rstrip()) for line in text.splitlines()))

    def test_a_figure_needs_two_values(self):
        figure = plots.FIGURES[0]
        self.assertIsNone(plots.data_of(self.rows[:1], {"PostgreSQL": BASE}, figure))
        names, curves, ceilings = plots.data_of(self.rows, {"PostgreSQL": BASE}, figure)
        self.assertEqual(names, ["1", "20"])
        self.assertEqual(curves["PostgreSQL"], {"1": 7, "20": 1234.5})
        self.assertEqual(ceilings["PostgreSQL"]["20"], 2000)
        self.assertIn('set xtics ("1" 0, "20" 1)', plots.script(figure, names, curves, ceilings, "x.png", "png"))


class Points(unittest.TestCase):
    def test_half_rate_comes_after_its_full_rate(self):
        half = BASE.other(half_rate=True)
        self.assertEqual(points.distinct([half, BASE.other(sessions=1)]), [BASE.other(sessions=1), BASE, half])

    def test_nothing_is_measured_twice(self):
        figures = points.experiment_points("mysql", "tuned")
        plan = points.distinct([p for figure in figures.values() for p in figure])
        self.assertEqual(len(plan), len(set(plan)))

    def test_quick_measures_all_goals_but_growth(self):
        for engine in ("postgresql", "mysql"):
            base = points.Point(engine=engine)
            rows = [row(p, sample(100)) for p in points.distinct(points.quick_points(engine, "tuned"))]
            missing = [g["figure"] for g in table.goals(rows, {"x": base}, 256) if g["verdict"] == "not measured"]
            self.assertEqual(missing, ["time per message at 1,000,000 / 10,000 stored"])


class FromTheDaemon(unittest.TestCase):
    def test_transactions_are_counted_from_the_batch_of_each_line(self):
        lines = ["stored … batch=2", "stored … batch=2", "event=x", "stored … batch=1"]
        self.assertEqual(daemon.count_transactions(lines, 1), (2, 3))

    def test_recipients_of_a_message_are_one_delivery(self):
        lines = ["delivered recipient=a batch=1", "delivered recipient=b batch=1"]
        self.assertEqual(daemon.count_transactions(lines, 2), (1, 1))

    def test_toml(self):
        self.assertEqual(daemon.to_toml(["a", 1, True]), '["a", 1, true]')


class FromProc(unittest.TestCase):
    def test_own_cpu_grows(self):
        before = processes.cpu_seconds(os.getpid())
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        self.assertGreaterEqual(processes.cpu_seconds(os.getpid()) - before, 0.05)
        self.assertGreater(processes.peak_memory(os.getpid()), 1 << 20)

    def test_a_child_belongs_to_the_family(self):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.read(read, 1)
            os._exit(0)  # pylint: disable=protected-access
        try:
            self.assertIn(child, processes.family(os.getpid()))
        finally:
            os.write(write, b"x")
            os.waitpid(child, 0)


class Growth(unittest.TestCase):
    def test_chunks_cover_everything_once(self):
        for first, last in ((1, 10), (1, growth.CHUNK), (1, growth.CHUNK + 1), (7, 3 * growth.CHUNK)):
            numbers = [n for start, end in growth.chunks(first, last) for n in (start, end)]
            self.assertEqual((numbers[0], numbers[-1]), (first, last))
            for end, start in zip(numbers[1::2], numbers[2::2]):
                self.assertEqual(end + 1, start)

    def test_texts_have_no_place_left_open(self):
        for engine in ("postgresql", "mysql", "sqlite"):
            self.assertNotIn("{", growth.statements(engine, "MySQL", 1, 10))
        self.assertTrue(sqlite3.complete_statement(growth.statements("sqlite", "SQLite", 1, 10)))


if __name__ == "__main__":
    unittest.main()
