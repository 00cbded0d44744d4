"""What stands behind Postfix: lmtpd on one of several stores, or a sink that discards; one at a time, at the same socket."""
import collections
import json
import os
import signal
import socket
import struct
import subprocess
import time
import urllib.parse

from comparison.daemon import Daemon, recipients

DOMAIN = "example.org"  # of comparison.daemon's users


def label_counts(subjects):
    """How often each message is there, by the first word of its subject."""
    return collections.Counter(subject.split(" ", 1)[0] for subject in subjects)


def listener_pid(uri):
    """The process behind a database server's unix socket; None without one in the URI, or if it cannot be seen."""
    parts = urllib.parse.urlsplit(uri)
    query = dict(urllib.parse.parse_qsl(parts.query))
    path = query.get("socket") or (query.get("host") and "%s/.s.PGSQL.%s" % (query["host"], query.get("port") or parts.port or 5432))
    if not path:
        return None
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return None
        return struct.unpack("3i", probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0] or None


class Sink:
    """lmtp-sink at lmtpd's socket."""

    label, indexes = "discarding sink", None

    def __init__(self, programs, folder, delay_ms=0):
        self.programs = programs
        self.socket = os.path.join(folder, "lmtp.sock")
        self.labels_file = os.path.join(folder, "sink.labels")
        self.delay_ms = delay_ms
        self.process = None

    def start(self):
        self.process = subprocess.Popen([os.path.join(self.programs, "lmtp-sink"), self.socket, "--labels", self.labels_file, "--delay",
                                         str(self.delay_ms)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        end = time.monotonic() + 10
        while not os.path.exists(self.socket):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("lmtp-sink did not start")
            time.sleep(0.02)

    def stop(self):
        """Returns what it counted, or None if it did not run."""
        if not self.process:
            return None
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=30)
        self.process = None
        return json.loads(out)

    def renew(self):
        """There is nothing to empty."""

    def settle(self):
        """Nor statistics to make."""

    def drop(self):
        """Nothing is kept."""

    def cpu_groups(self):
        return {"daemon": [self.process.pid]}

    def stored(self):
        """Label → copies, of everything since start(). The sink tells when it ends, so it is started anew."""
        self.stop()
        with open(self.labels_file, encoding="utf-8") as f:
            counts = label_counts(f.read().splitlines())
        self.start()
        return counts


class Store:
    """lmtpd on one database. All stores share one Daemon: its folder, its socket and its configuration but for the line with the URI."""

    def __init__(self, daemon, server, indexes):
        self.daemon = daemon
        self.server = server
        self.indexes = indexes
        self.label = server.label
        self.database = "lmtpd_bench_postfix_" + indexes
        self.options = {}
        self.server_pid = server.pid or listener_pid(server.database_uri(self.database))

    def renew(self):
        """Makes the database anew and empty."""
        self.server.create_database(self.database)
        self._point_here()
        self.daemon.create_store(self.indexes)

    def _point_here(self):
        self.daemon.uri = self.server.database_uri(self.database)
        self.daemon.write_config(self.options)

    def start(self):
        self._point_here()
        self.daemon.start()

    def stop(self):
        self.daemon.stop()

    def settle(self):
        """Between two warm-up batches: tables that a planner has seen empty cost a multiple, so statistics are made and the daemon's
        connections are replaced."""
        self.stop()
        self.server.after_preload(self.database)
        self.start()

    def cpu_groups(self):
        groups = {"daemon": [self.daemon.process.pid]}
        if self.server_pid:
            groups["database"] = [self.server_pid]
        return groups

    def stored(self):
        counts = collections.Counter()
        for address in recipients(20):
            done = subprocess.run([os.path.join(self.daemon.programs, "lmtpctl"), "--config", self.daemon.config, "--json", "message", "list",
                                   address, "INBOX"], capture_output=True, text=True, check=True)
            counts += label_counts(message["subject"] for message in json.loads(done.stdout))
        return counts

    def drop(self):
        """On a server that is not ours nothing stays behind."""
        self.server.drop_database(self.database)


def make_daemon(programs, folder):
    return Daemon(programs, folder, "sqlite:///nowhere")
