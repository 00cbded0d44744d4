"""From options and lmtpd.toml to the files of all instances: which numbers, which lines. Pure but for reading templates."""
import json
import os
import re
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
PROBE_PROCESSES = 5          # address verification from the inbound instance
TOTAL_CONCURRENCY = 100      # a batch of lmtpd holds at most 100 messages (delivery.batch_messages): more sessions would only wait
RELAY_CONCURRENCY = 20       # from the inbound to one outbound instance
RECEIVED_ROOM = 4096         # octets of Received fields per hop


class Plan:
    """options: what "create" was told (see instances); facts: DaemonFacts."""

    def __init__(self, root, options, facts):
        self.root = root
        self.options = options
        self.facts = facts
        self.shared = os.path.join(root, "etc/postfix-lmtpd")
        self.outbound = ["postfix-out%d" % number for number in range(1, options["outbound"] + 1)]
        self.names = ["postfix-in", *self.outbound]

    @property
    def on_host(self):
        return self.root == "/"

    def config(self, name):
        return os.path.join(self.root, "etc", name)

    def queue(self, name):
        return os.path.join(self.root, "var/spool", name)

    def data(self, name):
        return os.path.join(self.root, "var/lib", name)

    def log_file(self, name):
        """None: syslog."""
        return None if self.on_host else os.path.join(self.root, "var/log", name + ".log")

    @property
    def haproxy_config(self):
        return os.path.join(self.root, "etc/haproxy/lmtpd.cfg")

    @property
    def balanced(self):
        return self.options["balance"] != "randmap"

    @property
    def socket(self):
        return self.options["socket"] or (self.facts.unix_sockets or ["/run/lmtpd/lmtp.sock"])[0]

    @property
    def sessions(self):
        return self.options["sessions"] or self.facts.sessions

    @property
    def lmtp_concurrency(self):
        """Per outbound instance: all together at most half of the session limit, since idle cached sessions come on top."""
        count = len(self.outbound)
        return max(1, min((self.sessions - PROBE_PROCESSES) // (2 * count), -(-TOTAL_CONCURRENCY // count)))

    def ports(self):
        """HAProxy, the way back into the inbound instance, the outbound instances."""
        base = self.options["base_port"]
        return base - 1, base, [base + number for number in range(1, len(self.outbound) + 1)]

    def values(self, name):
        frontend, way_back, outs = self.ports()
        count = len(outs)
        number = self.outbound.index(name) + 1 if name in self.outbound else 0
        log = self.log_file(name)
        relay = RELAY_CONCURRENCY * (count if self.balanced else 1)
        size = self.facts.message_size
        return {
            "NAME": name, "CONFIG": self.config(name), "QUEUE": self.queue(name), "DATA": self.data(name), "SHARED": self.shared,
            "HOSTNAME": self.options["hostname"], "LISTEN": self.options["listen"], "RETURN_PORT": way_back,
            "PORT": outs[number - 1] if number else "", "NUMBER": number, "OUTBOUND": count, "SOCKET": self.socket,
            "LOG": "# The log; Postfix's own logger needs no syslog.\nmaillog_file = %s\nmaillog_file_prefixes = %s" % (log, self.root)
                   if log else "# The log goes to syslog, as the system's Postfix does.",
            "SESSIONS": self.sessions, "RECIPIENTS": self.facts.recipients, "RECIPIENT_LIMIT": min(100, self.facts.recipients),
            "SIZE_IN": size - 2 * RECEIVED_ROOM, "SIZE_OUT": size - RECEIVED_ROOM,
            "LMTP_CONCURRENCY": self.lmtp_concurrency, "LMTP_INITIAL": min(20, self.lmtp_concurrency),
            "RELAY_CONCURRENCY": relay, "RELAY_PROCESSES": RELAY_CONCURRENCY * count + 10, "SMTPD_PROCESSES": relay + 10,
            "RELAY_CACHE": "no" if self.balanced else "yes",
            "RELAY_REASON": "One\n# connection per message: HAProxy balances connections, and a kept one stays with its server."
                            if self.balanced else "Kept\n# connections cost nothing: each next hop is one instance.",
            "PROBE_PROCESSES": PROBE_PROCESSES, "BALANCE": self._balance(frontend, outs), "BALANCE_REASON": self._balance_reason(),
            "VERIFY": self._verify(), "PROXY": self._proxy(),
        }

    def _balance(self, frontend, outs):
        if self.balanced:
            return "static:{relay:[127.0.0.1]:%d}" % frontend
        return "randmap:{%s}" % ", ".join("relay:[127.0.0.1]:%d" % port for port in outs)

    def _balance_reason(self):
        if self.balanced:
            return "HAProxy (%s) chooses the outbound instance and knows which ones are up; see %s." % (
                self.options["balance"], self.haproxy_config)
        return ("randmap draws an outbound instance for each message: shares of 683/685/692 measured, no further process, and an\n"
                "# outage of one instance touches its share only. (One single recipient over and over always gets the same instance\n"
                "# while the resolver's one-entry cache holds it: matters for benchmarks, not for mail.)")

    def _proxy(self):
        if not self.balanced:
            return "# No PROXY protocol: the inbound instance connects itself."
        return ("# HAProxy says who connected. Whoever does not speak PROXY cannot use this port any more; a health check that only\n"
                "# connects would end smtpd with a fatal error, see haproxy.cfg.\nsmtpd_upstream_proxy_protocol = haproxy")

    def _verify(self):
        mode = self.options["verify"]
        if mode == "tables":
            kind = {"pgsql": "proxy:pgsql", "mysql": "proxy:mysql", "sqlite": "sqlite"}[self.facts.store["engine"]]
            return ("# Unknown recipients are refused at the door, not bounced later: looked up in lmtpd's database, in lmtpd's order.\n"
                    "# proxy: keeps a few database connections for all smtpd processes.\n"
                    "virtual_mailbox_maps = %s:%s\nsmtpd_recipient_restrictions ="
                    % (kind, os.path.join(self.shared, self.facts.store["engine"] + "-virtual-mailbox.cf")))
        if mode == "none":
            return "# Recipients are not verified: unknown ones are accepted and bounce, to forged senders too.\nsmtpd_recipient_restrictions ="
        return VERIFY_BY_DAEMON % (self.shared, self.socket)

    def domains(self):
        lines = ["# Domains whose mail lmtpd stores: one a line, a word behind it (any). Then: instances reload."]
        return "\n".join(lines + ["%s lmtpd" % domain for domain in self.options["domains"]]) + "\n"

    def render(self, template, name, extra=()):
        with open(os.path.join(HERE, template), encoding="utf-8") as f:
            text = f.read()
        values = {**self.values(name), **dict(extra)}
        # Twice: a value may name another one.
        for _ in range(2):
            text = re.sub(r"@([A-Z_]+)@", lambda found: str(values[found.group(1)]), text)
        return text

    def main_cf(self, name, local=""):
        kind = "inbound" if name == "postfix-in" else "outbound"
        text = self.render("templates/common.main.cf", name) + self.render("templates/%s.main.cf" % kind, name)
        return with_local(text, local)

    def master_cf(self, name):
        kind = "inbound" if name == "postfix-in" else "outbound"
        return self.render("templates/%s.master.cf" % kind, name) + self.render("templates/services.master.cf", name)

    def haproxy_cfg(self, as_root):
        frontend, _, outs = self.ports()
        servers = "\n".join("  server %s 127.0.0.1:%d" % (name, port) for name, port in zip(self.outbound, outs))
        run = os.path.join(self.root, "run")
        user = "  # Not root once the sockets are open.\n  user haproxy\n  group haproxy\n" if as_root else ""
        return self.render("../haproxy/haproxy.cfg", "postfix-in", {
            "FRONTEND_PORT": frontend, "SERVERS": servers, "ALGORITHM": self.options["balance"], "GLOBAL": user,
            "STATS": os.path.join(run, "lmtpd-haproxy.sock"), "MAXCONN": 4 * RELAY_CONCURRENCY * len(outs) + 50}.items())

    def lookup_table(self):
        """The shipped table of the store's engine with the connection, prefix and delimiter of lmtpd.toml."""
        store = self.facts.store
        with open(os.path.join(HERE, store["engine"] + "-virtual-mailbox.cf"), encoding="utf-8") as f:
            text = f.read()
        head, query = text.split("\nquery = ", 1)
        query = query.replace("dbmail_", self.facts.table_prefix).replace("'+'", "'%s'" % self.facts.detail_delimiters)
        for key, value in self._connection(store).items():
            head = re.sub(r"(?m)^%s = .*$" % key, lambda _: "%s = %s" % (key, value), head)
        return head + "\nquery = " + query

    def _connection(self, store):
        if store["engine"] == "pgsql":
            quote = lambda text: urllib.parse.quote(text, safe="")
            host, port = (("", "&port=%s" % (store["port"] or 5432)) if store["host"].startswith("/") else
                          ("%s:%s" % (store["host"], store["port"] or 5432), ""))
            account = quote(store["user"]) + (":" + quote(store["password"]) if store["password"] else "")
            socket = "?host=%s%s" % (quote(store["host"]), port) if not host else ""
            return {"hosts": "postgresql://%s@%s/%s%s" % (account, host, quote(store["database"]), socket),
                    "dbname": store["database"]}
        if store["engine"] == "mysql":
            host = "unix:" + store["host"] if store["host"].startswith("/") else "inet:%s:%s" % (store["host"], store["port"] or 3306)
            return {"hosts": host, "user": store["user"], "password": store["password"], "dbname": store["database"]}
        return {"dbpath": store["database"]}


VERIFY_BY_DAEMON = """\
# Unknown recipients are refused at the door, not bounced later: lmtpd itself is asked (MAIL, RCPT, no data). It never says "no such
# mailbox" when its database is away; then Postfix answers 450 for recipients it does not remember and accepts those it does.
# Only for our own domains: other people's servers are not asked.
smtpd_recipient_restrictions = check_recipient_access pipemap:{texthash:%s/domains, static:reject_unverified_recipient}
address_verify_virtual_transport = lmtp:unix:%s
# The question goes to lmtpd, not the way of the mail, whose outbound instances accept everybody.
address_verify_transport_maps =
# lmtpd is sure when it says no; the default of 450 is for servers elsewhere.
unverified_recipient_reject_code = 550
# What strangers read instead of lmtpd's reply with its socket's path.
unverified_recipient_reject_reason = No such mailbox here
# The first mail to a recipient waits for the answer in steps of this; the default of 3 s is for servers elsewhere.
address_verify_poll_delay = 1s
address_verify_poll_count = 5
# A new mailbox is known after a minute, a removed one refused after an hour (until then its mail bounces).
address_verify_negative_refresh_time = 60s
address_verify_negative_expire_time = 10m
address_verify_positive_refresh_time = 1h
address_verify_positive_expire_time = 7d"""


def logical_lines(text):
    """Parameter assignments with their comments and continuation lines: [(name or None, text)]."""
    pieces, block = [], []
    for line in text.splitlines(keepends=True):
        if line[:1] in (" ", "\t") and pieces and not block:
            pieces[-1] = (pieces[-1][0], pieces[-1][1] + line)
        elif line.startswith("#") or not line.strip():
            block.append(line)
        else:
            pieces.append((line.split("=", 1)[0].strip(), "".join(block) + line))
            block = []
    return pieces + ([(None, "".join(block))] if block else [])


def with_local(text, local):
    """The operator's lines take the place of ours, so that no parameter is set twice."""
    if not local.strip():
        return text
    own = {name for name, _ in logical_lines(local) if name}
    kept = "".join(piece for name, piece in logical_lines(text) if name not in own)
    return kept + "\n# --- from local.cf ---\n" + local


def load_options(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return None
