"""Samples → medians, the table, CSV, and issue-style ratios with "reached" or "falls short". Pure."""
import csv
import io
import statistics

# key, heading, format
COLUMNS = (
    ("label", "engine", "{}"), ("settings", "settings", "{}"), ("indexes", "indexes", "{}"), ("sessions", "sessions", "{}"),
    ("size", "size", "{}"), ("per_message", "rcpts", "{}"), ("mailboxes", "mailboxes", "{}"), ("batch_cap", "cap", "{}"),
    ("loop", "loop", "{}"), ("rate", "msg/s", "{:.0f}"), ("p50_ms", "p50 ms", "{:.2f}"), ("p99_ms", "p99 ms", "{:.2f}"),
    ("p999_ms", "p99.9 ms", "{:.2f}"), ("batch", "msg/txn", "{:.1f}"), ("transactions", "txn/msg", "{:.3f}"),
    ("log_octets", "WAL/redo B/msg", "{:.0f}"), ("daemon_us", "daemon µs/msg", "{:.0f}"), ("session_us", "of it sessions", "{:.0f}"),
    ("database_us", "db µs/msg", "{:.0f}"), ("load_us", "load µs/msg", "{:.0f}"), ("idle", "idle %", "{:.0f}"), ("foreign", "foreign %", "{:.0f}"),
    ("steal", "steal %", "{:.0f}"), ("memory_mib", "peak MiB", "{:.0f}"),
    ("driver_rate", "driver msg/s", "{:.0f}"), ("raw_rate", "raw msg/s", "{:.0f}"), ("of_raw", "daemon/raw", "{:.2f}"),
    ("samples", "n", "{}"), ("durable", "what was durable", "{}"),
)
MEASURED = ("rate", "p50_ms", "p99_ms", "p999_ms", "commit_p50_ms", "batch", "transactions", "log_octets", "daemon_us", "session_us", "database_us",
            "load_us", "idle", "foreign", "steal", "memory_mib", "driver_rate", "raw_rate")


def median_of(samples, key):
    values = [s[key] for s in samples if s.get(key) is not None]
    return statistics.median(values) if values else None


def row_of(point, label, durable, samples):
    """One row: the point's settings and the medians of its samples."""
    row = {"point": point, "label": label, "settings": point.settings, "indexes": point.indexes, "sessions": point.sessions,
           "size": point.size_name, "per_message": point.per_message, "mailboxes": point.mailboxes, "batch_cap": point.batch,
           "loop": "open, half rate" if point.half_rate else "closed", "durable": durable, "samples": len(samples)}
    row.update({key: median_of(samples, key) for key in MEASURED})
    # The ratio of the medians would mix repetitions; each sample has its ceiling beside it.
    ratios = [s["rate"] / s["raw_rate"] for s in samples if s.get("rate") and s.get("raw_rate")]
    row["of_raw"] = statistics.median(ratios) if ratios else None
    return row


def cell(row, column):
    key, _, pattern = column
    return "" if row.get(key) is None else pattern.format(row[key])


def to_text(rows):
    """Fixed-width table; columns that nothing was measured for are left out."""
    columns = [c for c in COLUMNS if any(row.get(c[0]) is not None for row in rows)]
    lines = [[c[1] for c in columns]] + [[cell(row, c) for c in columns] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join("  ".join(x.rjust(w) if i else x.ljust(w) for i, (x, w) in enumerate(zip(line, widths))).rstrip() for line in lines) + "\n"


def to_csv(rows):
    out = io.StringIO()
    keys = [c[0] for c in COLUMNS] + ["commit_p50_ms", "stored_before"]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(keys)
    for row in rows:
        values = {**row, "stored_before": row["point"].stored or ""}
        writer.writerow([("" if values.get(k) is None else round(values[k], 4) if isinstance(values[k], float) else values[k]) for k in keys])
    return out.getvalue()


def find(rows, base, **changes):
    wanted = base.other(**changes)
    return next((row for row in rows if row["point"] == wanted), None)


def quotient(above, below, key):
    if above is None or below is None or not above.get(key) or not below.get(key):
        return None
    return above[key] / below[key]


def goal(figure, engine, value, limit, at_least=True, unit=""):
    if value is None:
        verdict = "not measured"
    else:
        reached = value >= limit if at_least else value <= limit
        verdict = "reached" if reached else "falls short"
    return {"figure": figure, "engine": engine, "value": value, "goal": ("≥ " if at_least else "≤ ") + f"{limit:g}{unit}", "unit": unit,
            "verdict": verdict}


def goals_of_engine(rows, base, label, budget_mib):
    engine = base.engine
    at20, at1, at100 = (find(rows, base, sessions=n) for n in (20, 1, 100))
    out = []
    if engine != "sqlite":
        out.append(goal("daemon / raw ceiling, 20 sessions", label, at20 and at20["of_raw"], 0.75))
        share = quotient({"x": at20["daemon_us"]}, {"x": at20["database_us"]}, "x") if at20 else None
        out.append(goal("daemon CPU / database CPU, 20 sessions", label, share, 0.15, at_least=False))
        out.append(goal("20 sessions / 1 session", label, quotient(at20, at1, "rate"), 2))
        for row, sessions, limit in ((at20, 20, {"postgresql": 1.2, "mysql": 1.5}[engine]), (at100, 100, {"postgresql": 1.5, "mysql": 2}[engine])):
            single = find(rows, base, sessions=sessions, batch=1)
            out.append(goal(f"batching on / batch cap 1, {sessions} sessions", label, quotient(row, single, "rate"), limit))
    out.append(goal("one mailbox / 20 mailboxes, 20 sessions", label, quotient(find(rows, base, mailboxes=1), at20, "rate"), 0.7))
    half = find(rows, base, half_rate=True)
    waiting = half["p99_ms"] / at1["commit_p50_ms"] if half and at1 and half.get("p99_ms") and at1.get("commit_p50_ms") else None
    out.append(goal("p99 at half of the maximum rate / one commit's latency", label, waiting, 6, at_least=False))
    out.append(goal("daemon CPU per 3 KB message, parsing to hand-over", label, at20 and at20["session_us"], 150, at_least=False, unit=" µs"))
    memory = find(rows, base, sessions=100, min_size=1000000, max_size=1000000)
    out.append(goal("peak memory, 100 sessions of 1 MB messages", label, memory and memory["memory_mib"], 128 + budget_mib, at_least=False,
                    unit=" MiB"))
    grown = sorted((row for row in rows if row["point"].stored and row["point"].other(stored=0) == base), key=lambda row: row["point"].stored)
    ratio = grown[0]["rate"] / grown[-1]["rate"] if len(grown) > 1 and grown[-1].get("rate") else None
    sizes = f"{grown[-1]['point'].stored:,} / {grown[0]['point'].stored:,}" if len(grown) > 1 else "1,000,000 / 10,000"
    out.append(goal(f"time per message at {sizes} stored", label, ratio, 1.5, at_least=False))
    return out


def goals(rows, bases, budget_mib):
    """bases: {label: Point}. Everything that the project promises as a ratio within one run."""
    out = []
    for label, base in bases.items():
        out += goals_of_engine(rows, base, label, budget_mib)
    postgresql = next((find(rows, base) for base in bases.values() if base.engine == "postgresql"), None)
    for label, base in bases.items():
        if base.engine == "mysql" and postgresql is not None:
            out.append(goal(f"{label} / PostgreSQL, 20 sessions", label, quotient(find(rows, base), postgresql, "rate"), 0.8))
    return out


def goals_text(found):
    lines = [("figure", "engine", "measured", "goal", "")]
    for g in found:
        lines.append((g["figure"], g["engine"], "" if g["value"] is None else f"{g['value']:.2f}{g['unit']}", g["goal"], g["verdict"]))
    widths = [max(len(line[i]) for line in lines) for i in range(5)]
    return "\n".join("  ".join(x.ljust(w) for x, w in zip(line, widths)).rstrip() for line in lines) + "\n"
