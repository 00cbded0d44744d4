"""conf/postfix/instances in a scratch folder: what an operator would run, with real Postfix (and HAProxy) behind it."""
import glob
import json
import os
import re
import shutil
import smtplib
import subprocess
import tempfile
import threading

from support import Scene, free_ports, message, wait_until

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../conf/postfix/instances")


class Instances:
    """Ends everything it started when the test ends."""

    def __init__(self, scene):
        self.scene = scene
        self.root = tempfile.mkdtemp(prefix="lmtpd-pfi.", dir="/tmp")
        os.chmod(self.root, 0o755)
        first = free_ports(10)
        self.port, self.base_port = first, first + 2
        scene.addCleanup(shutil.rmtree, self.root, True)
        scene.addCleanup(self.run, "remove", "--discard-queues", expect=None)

    def run(self, command, *arguments, expect=0):
        done = subprocess.run([SCRIPT, "--root", self.root, command, *arguments], capture_output=True, text=True, timeout=120)
        if expect is not None:
            self.scene.assertEqual(done.returncode, expect, "instances %s: %s%s%s" % (command, done.stdout, done.stderr, self.log()[-3000:]))
        return done.stdout + done.stderr

    def create(self, *arguments, expect=0):
        return self.run("create", "--domain", "example.test", "--hostname", "mx.example.test", "--listen", "127.0.0.1:%d" % self.port,
                        "--base-port", str(self.base_port), "--lmtpd-config", self.scene.config_path, *arguments, expect=expect)

    def check(self, expect=0):
        """Findings as (severity, instance, text)."""
        return [(f["severity"], f["instance"], f["text"]) for f in json.loads(self.run("check", "--json", expect=expect))]

    def status(self, expect=0):
        return {row["name"]: row for row in json.loads(self.run("status", "--json", expect=expect))}

    def config(self, name):
        return os.path.join(self.root, "etc", name)

    def log(self, name="*"):
        text = ""
        for path in sorted(glob.glob(os.path.join(self.root, "var/log", name + ".log"))):
            with open(path, encoding="utf-8", errors="replace") as f:
                text += f.read()
        return text

    def outcomes(self):
        """What lmtp(8) said of each recipient: [(recipient, status)]."""
        return re.findall(r"/lmtp\[\d+\]: \w+: to=<([^>]+)>.*status=(\w+)", self.log("postfix-out*"))

    def deferred(self):
        return [line for line in self.log().splitlines() if "status=deferred" in line]

    def queued(self):
        rows = self.status()
        return sum(row.get(queue, 0) for row in rows.values() for queue in ("incoming", "active", "deferred", "hold"))

    def send(self, sender, recipients, octets, source="127.0.0.1", options=()):
        """source 127.0.0.2 and up: a stranger, who may not relay."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=60, source_address=(source, 0)) as client:
            return client.sendmail(sender, recipients, octets, mail_options=list(options))

    def send_many(self, messages, threads=4):
        """messages: [(recipient, octets)], sent over a few connections at once; returns when Postfix has taken all."""
        errors = []

        def work(mine):
            try:
                with smtplib.SMTP("127.0.0.1", self.port, timeout=120) as client:
                    for recipient, octets in mine:
                        client.sendmail("s@example.test", [recipient], octets)
            except (OSError, smtplib.SMTPException) as e:
                errors.append(e)

        workers = [threading.Thread(target=work, args=(messages[n::threads],)) for n in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if errors:
            raise errors[0]


class WithInstances(Scene):
    """lmtpd runs, instances can be made."""

    def setUp(self):
        super().setUp()
        self.daemon = self.start()
        self.instances = Instances(self)

    def deliver(self, count, source="127.0.0.1"):
        before = len(self.instances.outcomes())
        for n in range(count):
            self.assertEqual(self.instances.send("s@example.test", [self.users[n % 2]], message("n%d" % n), source=source), {})
        wait_until(lambda: len(self.instances.outcomes()) >= before + count, 60, "%d deliveries" % count)

    def assert_ports_free(self):
        self.instances.run("status", expect=1)
        self.assertFalse(os.path.exists(self.instances.config("postfix-in")))
        found = subprocess.run(["pgrep", "-f", self.instances.root], capture_output=True, text=True).stdout.split()
        self.assertEqual(found, [], "processes that are left")
