"""Rows of figures for people and for programs."""
import csv


class Column:
    def __init__(self, key, title, form="%s"):
        self.key = key
        self.title = title
        self.form = form  # of a value that is not None

    def text(self, row):
        value = row.get(self.key)
        return "–" if value is None else self.form % value


def as_text(columns, rows):
    """A Markdown table whose source is aligned too; figures to the right."""
    cells = [[column.title for column in columns]] + [[column.text(row) for column in columns] for row in rows]
    left = [all(isinstance(row.get(column.key), (str, type(None))) for row in rows) for column in columns]
    widths = [max(3, *(len(line[i]) for line in cells)) for i in range(len(columns))]
    lines = ["| " + " | ".join(cell.ljust(widths[i]) if left[i] else cell.rjust(widths[i]) for i, cell in enumerate(line)) + " |"
             for line in cells]
    rule = "|" + "|".join("-" * (width + 2) if left[i] else "-" * (width + 1) + ":" for i, width in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def write_csv(path, rows, keys=None):
    keys = keys or list(dict.fromkeys(key for row in rows for key in row))
    with open(path, "w", newline="", encoding="utf-8") as f:
        writer = csv.DictWriter(f, keys, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows([{key: "%.6g" % value if isinstance(value, float) else value for key, value in row.items()} for row in rows])


def median(values):
    """None without values; None among them is left out."""
    values = sorted(value for value in values if value is not None)
    if not values:
        return None
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def percentile(values, share):
    """The smallest value that is at least as great as that share of all; None without values."""
    values = sorted(values)
    return values[max(0, -(-int(share * 10000) * len(values) // 10000) - 1)] if values else None


def ratio(a, b):
    return None if a is None or not b else a / b
