"""Figures by gnuplot, each as PNG and SVG, from the rows of a run."""
import os
import subprocess

FIGURES = (
    # file, title, x heading, key of x, key of y, y heading, what the rows must have in common with the base
    ("sessions-rate", "Throughput, 3 KB messages", "sessions", "sessions", "rate", "messages/s", ("sessions",)),
    ("sessions-p99", "p99 latency, MAIL to last reply", "sessions", "sessions", "p99_ms", "ms", ("sessions",)),
    ("size-rate", "Throughput, 20 sessions", "message size", "size", "rate", "messages/s", ("min_size", "max_size")),
    ("batch-rate", "Throughput by batch cap, 20 sessions", "messages per transaction at most", "batch_cap", "rate", "messages/s", ("batch",)),
    ("mailboxes-rate", "One mailbox and many, 20 sessions", "mailboxes", "mailboxes", "rate", "messages/s", ("mailboxes",)),
    ("recipients-rate", "Recipients per message, 20 sessions", "recipients", "per_message", "rate", "messages/s", ("per_message",)),
    ("indexes-rate", "Index sets, 20 sessions", "index set", "indexes", "rate", "messages/s", ("indexes",)),
    ("durability-rate", "Durability, 20 sessions", "setting", "durability", "rate", "messages/s", ("durability",)),
    ("settings-rate", "Settings of the server, 20 sessions", "settings", "settings", "rate", "messages/s", ("settings",)),
    ("growth-rate", "Throughput by messages stored", "messages stored before", "stored", "rate", "messages/s", ("stored",)),
)


def series(rows, base, free):
    """Rows that differ from base in nothing but the free fields."""
    wanted = base.__class__
    fields = [f for f in wanted.__dataclass_fields__ if f not in free]
    found = [r for r in rows if all(getattr(r["point"], f) == getattr(base, f) for f in fields)]
    return sorted(found, key=lambda r: tuple(getattr(r["point"], f) for f in free))


def data_of(rows, bases, figure):
    """[(x names), {label: {x: y}}, {label: {x: raw}}] or None when there is no curve (fewer than two values of x)."""
    _, _, _, x_key, y_key, _, free = figure
    names, curves, ceilings = [], {}, {}
    for label, base in bases.items():
        for row in series(rows, base, free):
            x = str(row.get(x_key, getattr(row["point"], x_key, "")))
            if x not in names:
                names.append(x)
            curves.setdefault(label, {})[x] = row[y_key]
            if y_key == "rate" and row.get("raw_rate"):
                ceilings.setdefault(label, {})[x] = row["raw_rate"]
    return (names, curves, ceilings) if len(names) > 1 else None


def script(figure, names, curves, ceilings, output, terminal):
    name, title, x_heading, _, _, y_heading, _ = figure
    lines = [f"set terminal {terminal}", f"set output '{output}'", f'set title "{title}"', f'set xlabel "{x_heading}"', f'set ylabel "{y_heading}"',
             "set yrange [0:*]", "set grid ytics", "set key outside right", f"set xrange [-0.5:{len(names) - 0.5}]",
             "set xtics (" + ", ".join(f'"{x}" {i}' for i, x in enumerate(names)) + ")"]
    plots = []
    for number, (label, values) in enumerate(curves.items(), 1):
        lines += ["$d%d << END" % number] + [f"{i} {values[x]}" for i, x in enumerate(names) if values.get(x) is not None] + ["END"]
        plots.append(f"$d{number} with linespoints lw 2 pt 7 lc {number} title '{label}'")
        if label in ceilings:
            raw = ceilings[label]
            lines += ["$r%d << END" % number] + [f"{i} {raw[x]}" for i, x in enumerate(names) if x in raw] + ["END"]
            plots.append(f"$r{number} with linespoints dt 2 pt 6 lc {number} title '{label}, raw ceiling'")
    lines.append("plot " + ", ".join(plots))
    del name
    return "\n".join(lines) + "\n"


def draw(rows, bases, folder):
    made = []
    for figure in FIGURES:
        data = data_of(rows, bases, figure)
        if data is None:
            continue
        for suffix, terminal in (("png", "pngcairo size 900,500"), ("svg", "svg size 900,500")):
            output = os.path.join(folder, f"{figure[0]}.{suffix}")
            subprocess.run(["gnuplot", "-"], input=script(figure, *data, output, terminal), text=True, check=True)
            made.append(output)
    return made
