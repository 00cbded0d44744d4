"""The Postfix instances of conf/postfix/instances in a scratch folder, as an operator would have them but for what a measurement sets."""
import json
import os
import random
import socket
import subprocess
import time

from behind.maillog import MailLog

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../conf/postfix/instances")
QUEUES = ("incoming", "active", "deferred")


def free_ports(count):
    """The first of so many consecutive loopback ports that nobody uses, below the range from which the kernel draws."""
    while True:
        base = random.randrange(10200, 19000)
        try:
            for port in range(base, base + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            return base
        except OSError:
            continue


def queue_sizes(spool):
    """Files in one instance's queues: {"incoming": 3, …}. Hashed sub-folders count too."""
    sizes = {}
    for queue in QUEUES:
        count, folders = 0, [os.path.join(spool, queue)]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                        else:
                            count += 1
            except FileNotFoundError:
                continue
        sizes[queue] = count
    return sizes


class Shape:
    """outbound: instances behind the inbound one; 0: a single instance that receives and delivers. concurrency: LMTP sessions of all
    together. balance: randmap, roundrobin or leastconn."""

    def __init__(self, outbound, concurrency, balance="randmap"):
        self.outbound = outbound
        self.concurrency = concurrency
        self.balance = balance

    @property
    def instances(self):
        return ["postfix-out%d" % number for number in range(1, max(1, self.outbound) + 1)]

    def per_instance(self):
        """Whole sessions; the first instances get the rest."""
        share, rest = divmod(self.concurrency, len(self.instances))
        return [share + (number < rest) for number in range(len(self.instances))]


class Site:
    """A single instance is the one outbound instance of "instances create --outbound 1", addressed directly: it differs from several in
    their number and in nothing else."""

    def __init__(self, root, lmtpd_config, domain):
        self.root = root
        self.lmtpd_config = lmtpd_config
        self.domain = domain
        self.shape = None
        os.makedirs(root, mode=0o755)

    def _run(self, command, *arguments):
        done = subprocess.run([SCRIPT, "--root", self.root, command, *arguments], capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError("instances %s: %s%s" % (command, done.stdout, done.stderr))
        return done.stdout

    def create(self, shape):
        """Returns the seconds that it took."""
        begin = time.monotonic()
        first = free_ports(3 + max(1, shape.outbound))
        self.listen, base = first, first + 2
        self.port = base + 1 if shape.outbound == 0 else self.listen
        self.shape = shape
        for name, limit in zip(shape.instances, shape.per_instance()):
            folder = os.path.join(self.root, "etc", name)
            os.makedirs(folder, mode=0o755, exist_ok=True)
            with open(os.path.join(folder, "local.cf"), "w", encoding="utf-8") as f:
                f.write("lmtp_destination_concurrency_limit = %d\nlmtp_initial_destination_concurrency = %d\n" % (limit, min(limit, 20)))
        # Nobody is asked about recipients: what is measured is delivery, and all of them exist.
        self._run("create", "--outbound", str(max(1, shape.outbound)), "--balance", shape.balance, "--verify", "none", "--domain", self.domain,
                  "--hostname", "mx." + self.domain, "--listen", "127.0.0.1:%d" % self.listen, "--base-port", str(base),
                  "--lmtpd-config", self.lmtpd_config)
        self.names = [row["name"] for row in json.loads(self._run("status", "--json")) if row["name"] != "haproxy"]
        return time.monotonic() - begin

    def remove(self):
        if self.shape:
            self._run("remove", "--discard-queues")
            self.shape = None

    def masters(self):
        """{instance: [pid of its master]}, and HAProxy's."""
        pids = {name: [self._pid(os.path.join(self.root, "var/spool", name, "pid/master.pid"))] for name in self.names}
        if self.shape.balance != "randmap":
            pids["haproxy"] = [self._pid(os.path.join(self.root, "run/lmtpd-haproxy.pid"))]
        return pids

    @staticmethod
    def _pid(path):
        with open(path, encoding="ascii") as f:
            return int(f.read().split()[0])

    def depths(self):
        """{instance: {queue: messages}}"""
        return {name: queue_sizes(os.path.join(self.root, "var/spool", name)) for name in self.names}

    def log_positions(self):
        return {name: os.path.getsize(self._log(name)) if os.path.exists(self._log(name)) else 0 for name in self.names}

    def log_since(self, positions):
        log = MailLog()
        for name, position in positions.items():
            with open(self._log(name), encoding="utf-8", errors="replace") as f:
                f.seek(position)
                log.read(f)
        return log

    def _log(self, name):
        return os.path.join(self.root, "var/log", name + ".log")
