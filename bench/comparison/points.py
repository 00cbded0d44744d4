"""Points of the experiments: what is measured, as plain values. Pure."""
import dataclasses

KB = 1024


@dataclasses.dataclass(frozen=True)
class Point:
    """One configuration. A point that several experiments name is measured once."""

    engine: str = "postgresql"
    settings: str = "tuned"      # of the database server: tuned (conf/), default, or given 1, 2 … (by URI)
    indexes: str = "dbmail"
    durability: str = "durable"  # or relaxed (SQLite: EXTRA, which is stricter)
    sessions: int = 20
    min_size: int = 3000
    max_size: int = 3000
    per_message: int = 1
    mailboxes: int = 20
    batch: int = 100             # delivery.batch_messages
    half_rate: bool = False      # open loop at half of the closed loop's rate
    stored: int = 0              # messages in the store before; 0: the usual preload

    def other(self, **changes):
        return dataclasses.replace(self, **changes)

    @property
    def size_name(self):
        if self.min_size != self.max_size:
            return f"{self.min_size // KB}-{self.max_size // KB} KB"
        return "1 MB" if self.max_size >= 1000000 else f"{round(self.max_size / 1000)} KB"

    @property
    def store(self):
        """Points with the same store share a database."""
        return self.engine, self.settings, self.indexes, self.durability, self.stored


SIZES = ((3000, 3000), (32000, 32000), (15 * KB, 65 * KB), (1000000, 1000000))


def experiment_points(engine, settings):
    """name → points. The first point of "sessions" at 20 sessions is the one that others are compared with."""
    base = Point(engine=engine, settings=settings)
    return {
        "sessions": [base.other(sessions=n) for n in (1, 5, 20, 100)],
        "size": [base.other(min_size=low, max_size=high) for low, high in SIZES],
        "recipients": [base.other(per_message=n) for n in (1, 10)],
        "mailboxes": [base.other(mailboxes=n) for n in (1, 20)],
        "batch": [base.other(sessions=s, batch=b) for s in (20, 100) for b in (1, 10, 50, 100, 200)],
        "indexes": [base.other(indexes=name) for name in ("dbmail", "lean")],
        "durability": [base.other(durability=name) for name in ("durable", "relaxed")],
        "latency": [base.other(sessions=1), base, base.other(half_rate=True)],
        "memory": [base.other(sessions=100, min_size=1000000, max_size=1000000)],
    }


def quick_points(engine, settings):
    """Everything that the table of ratios needs and fits into three minutes; growth takes longer."""
    base = Point(engine=engine, settings=settings)
    return [
        base, base.other(sessions=1), base.other(sessions=5), base.other(sessions=100), base.other(batch=1),
        base.other(batch=1, sessions=100), base.other(mailboxes=1), base.other(half_rate=True), base.other(per_message=10),
        base.other(min_size=32000, max_size=32000), base.other(indexes="lean"),
        base.other(sessions=100, min_size=1000000, max_size=1000000),
    ]


def distinct(points):
    """Without repetitions; a half-rate point comes after the point whose rate it halves."""
    seen = dict.fromkeys(points)
    ordered = [p for p in seen if not p.half_rate]
    for point in seen:
        if point.half_rate:
            full = point.other(half_rate=False)
            if full not in ordered:
                ordered.append(full)
            ordered.append(point)
    return ordered
