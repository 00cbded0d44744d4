"""Postfix's log: what happened to each recipient at each hop. Pure."""
import re

# Nov 30 11:02:02 host postfix-out1/lmtp[123]: 4f3K2: to=<a@b>, relay=…, conn_use=3, delay=…, delays=…, dsn=2.0.0, status=sent (250 …)
OUTCOME = re.compile(r"(?P<instance>[\w.-]+)/(?P<service>[\w-]+)\[\d+\]: (?P<id>\w+): to=<(?P<recipient>[^>]*)>,(?P<fields>.*?)"
                     r" dsn=(?P<dsn>[\d.]+), status=(?P<status>\w+)")
TROUBLE = re.compile(r"\b(warning|error|fatal|panic): ")


class Hop:
    """What one instance's LMTP or SMTP clients did."""

    def __init__(self):
        self.sent = self.deferred = self.bounced = 0
        self.connections = 0  # new ones; what they carried further says conn_use=
        self.waiting = 0.0    # sum over sent mail of seconds in this instance's queue, before and in its queue manager

    def count(self, status, fields):
        if status != "sent":
            self.deferred += status == "deferred"
            self.bounced += status in ("bounced", "expired")
            return
        self.sent += 1
        self.connections += "conn_use=" not in fields
        delays = re.search(r"delays=([\d.]+)/([\d.]+)/", fields)
        self.waiting += float(delays.group(1)) + float(delays.group(2)) if delays else 0


class MailLog:
    """hops: {(instance, service): Hop}; trouble: lines that an operator should read."""

    def __init__(self):
        self.hops = {}
        self.trouble = []

    def read(self, lines):
        for line in lines:
            found = OUTCOME.search(line)
            if found:
                self.hops.setdefault((found["instance"], found["service"]), Hop()).count(found["status"], found["fields"])
            elif TROUBLE.search(line):
                self.trouble.append(line.rstrip("\n"))
        return self

    def total(self, service, what):
        return sum(getattr(hop, what) for (_, name), hop in self.hops.items() if name == service)

    def shares(self, service="lmtp"):
        """Deliveries by instance, in the order of their names."""
        return {instance: hop.sent for (instance, name), hop in sorted(self.hops.items()) if name == service}
