"""What the end-to-end tests work with: scratch folders, stores on each engine, the real lmtpd and lmtpctl, a plain LMTP client.

The binaries come from LMTPD_BIN (a folder), the servers' URIs from the file LMTPD_TEST_SERVERS (written by tests/support/servers)."""
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import uuid

BIN = os.environ["LMTPD_BIN"]
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/data/messages")


def server_uris():
    """{"LMTPD_TEST_POSTGRESQL_URI": …} from the servers' env file."""
    path = os.environ.get("LMTPD_TEST_SERVERS", "")
    if not os.path.exists(path):
        raise RuntimeError("the test servers are not running: LMTPD_TEST_SERVERS=%r" % path)
    pairs = {}
    with open(path) as f:
        for line in f:
            line = line.strip().removeprefix("export ")
            if "=" in line and not line.startswith("#"):
                name, value = line.split("=", 1)
                pairs[name] = value.strip("'\"")
    return pairs


def wait_until(condition, seconds, what):
    """Polls; raises with `what` when the time is over."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("not within %s s: %s" % (seconds, what))
        time.sleep(0.02)


def slowness():
    """How many times slower this machine starts processes now than an idle one of two cores: what a promise in seconds is multiplied with."""
    begin = time.monotonic()
    for _ in range(200):
        subprocess.run(["true"], check=True)
    return max(1, (time.monotonic() - begin) / 0.2)


def accepts(path):
    """Somebody listens at the unix socket (a killed process leaves its file behind)."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
            return True
        except OSError:
            return False


def free_ports(count):
    """The first of so many consecutive loopback ports that nobody uses, below the range from which the kernel draws."""
    while True:
        base = random.randrange(10200, 19000)
        try:
            for port in range(base, base + count):
                with socket.socket() as s:
                    s.bind(("127.0.0.1", port))
            return base
        except OSError:
            continue


class Store:
    """A fresh, empty database of one engine. uri is what goes into lmtpd.toml."""

    def __init__(self, engine, folder):
        self.engine = engine
        self.name = "e2e_" + uuid.uuid4().hex[:12]
        if engine == "sqlite":
            self.uri = "sqlite://" + os.path.join(folder, "store.db")
        else:
            variable = "LMTPD_TEST_POSTGRESQL_URI" if engine == "postgresql" else "LMTPD_TEST_MYSQL_URI"
            self.base = urllib.parse.urlsplit(server_uris()[variable])
            self.uri = urllib.parse.urlunsplit(self.base._replace(path="/" + self.name))
            self.admin_sql("create database %s%s" % (self.name, " character set utf8mb4" if engine == "mysql" else ""))

    def sql(self, statements):
        """Runs statements in the store itself."""
        if self.engine == "sqlite":
            with contextlib.closing(sqlite3.connect(self.uri.removeprefix("sqlite://"), timeout=30)) as connection:
                connection.executescript(statements)
        else:
            command, options = self.client_command(self.name, statements)
            subprocess.run(command, **options)

    def admin_sql(self, sql):
        """Runs a statement beside the store, in the database that the servers' URI names."""
        command, options = self.client_command(self.base.path[1:], sql)
        subprocess.run(command, **options)

    def client_command(self, database, sql):
        query = dict(urllib.parse.parse_qsl(self.base.query))
        user, password = self.base.username, self.base.password
        if self.engine == "postgresql":
            command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql]
            environment = {"PGHOST": query.get("host") or self.base.hostname, "PGPORT": str(query.get("port") or self.base.port or 5432),
                           "PGUSER": user or "postgres", "PGDATABASE": database or "postgres"}
            if password:
                environment["PGPASSWORD"] = password
        else:
            command = ["mariadb", "--no-defaults", "--delimiter=//", "-e", sql]
            command += ["--socket=" + query["socket"]] if "socket" in query else ["-h", self.base.hostname, "-P", str(self.base.port)]
            command += ["-u", user or "root"] + (["-p" + password] if password else []) + [database]
            environment = {}
        return command, {"check": True, "env": {**os.environ, **environment}, "capture_output": True, "timeout": 60}

    def drop(self):
        if self.engine == "postgresql":
            self.admin_sql("drop database if exists %s with (force)" % self.name)
        elif self.engine == "mysql":
            self.admin_sql("drop database if exists %s" % self.name)


class Scene(unittest.TestCase):
    """A scratch folder with a configuration, a store with users, and daemons that end with the test."""

    engine = "sqlite"
    users = ("alice@example.test", "bob@example.test")
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lmtpd-e2e.", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.socket_path = os.path.join(self.folder, "lmtp.sock")
        self.log_path = os.path.join(self.folder, "lmtpd.log")
        self.config_path = os.path.join(self.folder, "lmtpd.toml")
        self.store = Store(self.engine, self.folder)
        self.addCleanup(self.store.drop)
        self.write_config()
        self.ctl("schema", "create")
        for user in self.users:
            self.ctl("user", "add", user)

    def write_config(self, extra="", uri=None, listen=None):
        with open(self.config_path, "w") as f:
            f.write('[storage]\nuri = "%s"\n[listen]\nlmtp = %s\nsocket_mode = "0666"\n%s' %
                    (uri or self.store.uri, json.dumps(listen or ["unix:" + self.socket_path]), extra))

    def ctl(self, *arguments, expect=0, stdin="", stderr=False):
        """What lmtpctl says on its output, or on standard error."""
        done = subprocess.run([os.path.join(BIN, "lmtpctl"), "--config", self.config_path, *arguments], input=stdin.encode(),
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, expect, "lmtpctl %s: %s" % (" ".join(arguments), done.stderr.decode("utf-8", "replace")))
        return done.stderr if stderr else done.stdout

    def ctl_json(self, *arguments, expect=0):
        return json.loads(self.ctl("--json", *arguments, expect=expect))

    def messages(self, user, mailbox="INBOX"):
        return self.ctl_json("message", "list", user, mailbox)

    def export(self, user, uid, mailbox="INBOX"):
        return self.ctl("message", "export", user, mailbox, str(uid))

    def start(self, arguments=(), environment=None, wait=True, pass_fds=(), wrapper=()):
        """Starts lmtpd; returns the process. Its log goes to self.log_path."""
        log = open(self.log_path, "ab")
        process = subprocess.Popen([*wrapper, os.path.join(BIN, "lmtpd"), "--config", self.config_path, *arguments], stderr=log, stdout=log,
                                   env={**os.environ, **(environment or {})}, pass_fds=pass_fds)
        log.close()
        self.addCleanup(self.stop, process)
        if wait:
            def listening():
                if process.poll() is not None:
                    raise AssertionError("lmtpd ended with %s:\n%s" % (process.returncode, self.log()))
                return accepts(self.socket_path)
            wait_until(listening, 60, "the socket of lmtpd")
        return process

    def stop(self, process, with_signal=signal.SIGTERM):
        """Ends the process and returns its exit status."""
        if process.poll() is None:
            process.send_signal(with_signal)
        return process.wait(timeout=60)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def client(self, path=None):
        client = Client(path or self.socket_path)
        self.addCleanup(client.close)
        return client


class Client:
    """A plain LMTP client: lines out, replies in. Replies are (code, text of the last line)."""

    def __init__(self, address, timeout=60, greet=True):
        if isinstance(address, str):
            self.socket = socket.socket(socket.AF_UNIX)
        else:
            self.socket = socket.socket(socket.AF_INET)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        self.stream = self.socket.makefile("rb")
        if greet:
            self.greeting = self.reply()

    def send(self, octets):
        self.socket.sendall(octets)

    def reply(self):
        while True:
            line = self.stream.readline()
            if not line.endswith(b"\r\n"):
                raise ConnectionError("the server closed the connection")
            if line[3:4] == b" ":
                return int(line[:3]), line[4:-2].decode("utf-8", "replace")

    def command(self, line):
        self.send(line.encode() + b"\r\n")
        return self.reply()

    def lhlo(self):
        code, text = self.command("LHLO client.example.test")
        assert code == 250, (code, text)
        return self

    def envelope(self, sender, recipients):
        """MAIL and RCPTs; returns the RCPT replies."""
        reply = self.command("MAIL FROM:<%s>" % sender)
        if reply[0] != 250:
            return [reply] * len(recipients)
        return [self.command("RCPT TO:<%s>" % recipient) for recipient in recipients]

    def data(self, octets, count):
        """Sends the message; returns one reply per accepted recipient."""
        code, text = self.command("DATA")
        if code != 354:
            return [(code, text)]
        self.send(dot_stuffed(octets))
        return [self.reply() for _ in range(count)]

    def bdat(self, octets, count):
        self.send(b"BDAT %d LAST\r\n" % len(octets) + octets)
        return [self.reply() for _ in range(count)]

    def deliver(self, sender, recipients, octets):
        """Final replies in RCPT order, refusals at RCPT included."""
        replies = self.envelope(sender, recipients)
        accepted = [i for i, (code, _) in enumerate(replies) if code == 250]
        if not accepted:
            self.command("RSET")
            return replies
        for i, reply in zip(accepted, self.data(octets, len(accepted))):
            replies[i] = reply
        return replies

    def close(self):
        self.stream.close()
        self.socket.close()


def dot_stuffed(octets):
    """Octets of DATA with the final dot. A message without a final CRLF gets one, as any SMTP client must."""
    lines = octets.split(b"\r\n")
    stuffed = b"\r\n".join(b"." + line if line.startswith(b".") else line for line in lines)
    return stuffed + (b"" if octets.endswith(b"\r\n") or not octets else b"\r\n") + b".\r\n"


def message(subject, body="Hello\r\n", headers=""):
    return ("From: Carol <carol@example.test>\r\nTo: alice@example.test\r\nSubject: %s\r\n"
            "Date: Mon, 30 Nov 2026 10:00:00 +0000\r\nMessage-ID: <%s@example.test>\r\n%s\r\n%s" %
            (subject, uuid.uuid4().hex, headers, body)).encode()


def on_each_engine(case):
    """Class decorator: makes the test case three, one per engine, in the module of the caller."""
    import sys
    module = sys.modules[case.__module__]
    for engine in ("sqlite", "postgresql", "mysql"):
        name = "%s_%s" % (case.__name__, engine)
        setattr(module, name, type(name, (case,), {"engine": engine, "__module__": case.__module__}))
    return None
