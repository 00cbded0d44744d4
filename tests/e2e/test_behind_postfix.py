"""What makes lmtpd a good neighbour of Postfix: restarts, outages and full backlogs that cost nobody's mail, and defer as little as can be."""
import os
import re
import signal
import socket
import threading
import time
import unittest
import urllib.parse

from instances import Instances
from support import Client, Scene, message, on_each_engine, server_uris, slowness, wait_until
from tcp_gate import TcpGate


@on_each_engine
class KeptSocket(Scene):
    """The listening socket belongs to somebody else, as with lmtpd.socket under systemd, and stays while lmtpd restarts."""

    def setUp(self):
        super().setUp()
        self.listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.listening.close)
        self.listening.bind(self.socket_path)
        os.chmod(self.socket_path, 0o666)
        self.listening.listen(4096)
        self.starts = 0

    def start_with_socket(self):
        """lmtpd.toml names the same address: what was handed over is used."""
        number = self.listening.fileno()
        wrapper = ["sh", "-c", 'exec 3<&%d; export LISTEN_PID=$$; exec "$@"' % number, "sh"]
        process = self.start(environment={"LISTEN_FDS": "1"}, pass_fds=(number,), wrapper=wrapper, wait=False)
        wait_until(lambda: self.log().count("listens at") > self.starts or process.poll() is not None, 60, "the start")
        self.assertIsNone(process.poll(), self.log()[-2000:])
        self.starts += 1
        return process

    def test_restarts_under_load_defer_nothing_and_lose_nothing(self):
        process = self.start_with_socket()
        instances = Instances(self)
        instances.create("--verify", "none")
        over, accepted, errors = threading.Event(), [], []

        def keep_sending(thread):
            try:
                while not over.is_set():
                    names = ["%d-%d-%d" % (thread, len(accepted), n) for n in range(10)]
                    instances.send_many([(self.users[n % 2], message(name)) for n, name in enumerate(names)], threads=1)
                    accepted.extend(names)
            except Exception as e:
                errors.append(e)

        senders = [threading.Thread(target=keep_sending, args=(n,)) for n in range(3)]
        for sender in senders:
            sender.start()
        try:
            for _ in range(4):
                before = len(accepted)
                wait_until(lambda: len(accepted) > before + 20 or errors, 60, "load between restarts")
                self.assertEqual(self.stop(process), 0)
                time.sleep(0.5)  # longer than systemd would take
                process = self.start_with_socket()
        finally:
            over.set()
            for sender in senders:
                sender.join()
        self.assertEqual(errors, [])
        wait_until(lambda: len(instances.outcomes()) >= len(accepted), 120, "all deliveries")
        self.assertEqual(instances.deferred(), [])
        stored = [m["subject"] for user in self.users for m in self.messages(user)]
        self.assertEqual(sorted(stored), sorted(accepted))


class FullHouse(Scene):
    """Everybody comes at once while lmtpd does not get to accept anybody."""

    def test_300_connections_wait_in_the_backlog(self):
        process = self.start()
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        waiting = []
        for _ in range(300):
            connection = socket.socket(socket.AF_UNIX)
            self.addCleanup(connection.close)
            connection.setblocking(False)  # a full backlog is EAGAIN at once, as for Postfix
            connection.connect(self.socket_path)
            waiting.append(connection)
        process.send_signal(signal.SIGCONT)
        for connection in waiting:
            connection.settimeout(60)
            self.assertTrue(connection.recv(512).startswith(b"220 "))

    def test_postfix_at_full_concurrency_defers_nothing(self):
        process = self.start()
        instances = Instances(self)
        instances.create("--verify", "none")
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        instances.send_many([(self.users[n % 2], message("n%d" % n)) for n in range(150)])
        wait_until(lambda: sum(instances.status()["postfix-out%d" % n]["active"] for n in (1, 2, 3)) >= 120, 60, "mail in the outbound instances")
        process.send_signal(signal.SIGCONT)
        wait_until(lambda: len(instances.outcomes()) >= 150, 120, "150 deliveries")
        self.assertEqual(instances.deferred(), [])
        self.assertNotIn("temporarily unavailable", instances.log())
        self.assertEqual(sum(len(self.messages(user)) for user in self.users), 150)


class EverydayLife(Scene):
    def setUp(self):
        super().setUp()
        self.start()

    def test_the_end_of_a_connection_without_quit_is_no_event(self):
        for _ in range(3):
            client = Client(self.socket_path)
            client.lhlo().deliver("s@example.test", ["alice@example.test"], message("x"))
            client.close()
            Client(self.socket_path).close()
            Client(self.socket_path, greet=False).close()
        wait_until(lambda: self.log().count("delivered") == 3, 60, "the deliveries")
        time.sleep(0.5)
        noise = [line for line in self.log().splitlines()[2:] if " delivered " not in line and "listens at" not in line]
        self.assertEqual(noise, [])

    def test_postfix_ends_its_kept_connections_without_a_trace(self):
        instances = Instances(self)
        instances.create("--outbound", "1")
        instances.send_many([("alice@example.test", message("n%d" % n)) for n in range(60)])
        wait_until(lambda: len(instances.outcomes()) >= 60, 60, "60 deliveries")
        time.sleep(3)  # Postfix keeps connections for 2 s
        noise = [line for line in self.log().splitlines()[2:] if " delivered " not in line and "listens at" not in line]
        self.assertEqual(noise, [])

    def test_mixed_results_are_sent_deferred_and_bounced_for_the_right_recipients(self):
        self.ctl("user", "add", "full@example.test", "--quota", "1KiB")
        instances = Instances(self)
        instances.create("--verify", "none")
        octets = message("mixed", "a line\r\n" * 500)
        everybody = ["alice@example.test", "nobody@example.test", "full@example.test", "bob@example.test"]
        instances.send("alice@example.test", everybody, octets)
        wait_until(lambda: len(set(instances.outcomes())) >= 4, 60, "four results")
        self.assertEqual({recipient: status for recipient, status in instances.outcomes() if recipient in everybody[1:]},
                         {"nobody@example.test": "bounced", "full@example.test": "deferred", "bob@example.test": "sent"})
        wait_until(lambda: len(self.messages("alice@example.test")) == 2, 60, "the message and the bounce, at its sender")
        bounces = [m for m in self.messages("alice@example.test") if m["subject"] != "mixed"]  # came first, perhaps: by another instance
        self.assertEqual(len(bounces), 1)
        text = self.export("alice@example.test", bounces[0]["uid"])
        self.assertIn(b"nobody@example.test", text)
        self.assertNotIn(b"full@example.test", text, "what is deferred is not reported as failed")
        self.assertEqual(len(self.messages("bob@example.test")), 1)
        wait_until(lambda: instances.outcomes().count(("full@example.test", "deferred")) >= 3, 60, "retries for the full mailbox only")
        self.assertEqual(len(self.messages("bob@example.test")), 1)

    def test_bounces_to_elsewhere_leave_through_the_inbound_instance(self):
        instances = Instances(self)
        instances.create("--verify", "none", "--outbound", "1")
        instances.send("s@elsewhere.invalid", ["nobody@example.test"], message("x"))
        way_back = r"smtp\[\d+\]: \w+: to=<s@elsewhere.invalid>, relay=127.0.0.1\[127.0.0.1\]:%d,.*status=sent" % instances.base_port
        wait_until(lambda: re.search(way_back, instances.log("postfix-out1")), 60, "the bounce's way to the inbound instance")
        wait_until(lambda: "to=<s@elsewhere.invalid>" in instances.log("postfix-in"), 60, "its way on from there")


class DatabaseDown(Scene):
    """The database goes away under Postfix: mail waits there, and the shipped back-off values bring it in soon afterwards."""

    tcp_variable = ""
    outage = 20  # longer than the largest back-off, from when on it makes no difference how long it lasts

    def setUp(self):
        super().setUp()
        direct = urllib.parse.urlsplit(server_uris()[self.tcp_variable])
        self.gate = TcpGate((direct.hostname, direct.port))
        self.addCleanup(self.gate.close)
        at = "%s:%s@127.0.0.1:%d" % (direct.username, direct.password, self.gate.port)
        self.direct_config = self.config_path
        self.config_path += ".gated"
        self.write_config(uri=urllib.parse.urlunsplit(direct._replace(netloc=at, path="/" + self.store.name)))

    def ctl(self, *arguments, **keywords):
        path, self.config_path = self.config_path, getattr(self, "direct_config", self.config_path)
        try:
            return super().ctl(*arguments, **keywords)
        finally:
            self.config_path = path

    def test_mail_waits_and_drains_within_30_seconds_of_recovery(self):
        self.start()
        instances = Instances(self)
        instances.create()
        for user in self.users:  # Postfix knows these recipients from now on
            instances.send("s@example.test", [user], message("before"))
        wait_until(lambda: len(instances.outcomes()) == 2, 60, "mail before the outage")
        self.gate.shut()
        down_since = time.monotonic()
        names = ["n%d" % n for n in range(40)]
        instances.send_many([(self.users[n % 2], message(name)) for n, name in enumerate(names)])
        with self.assertRaisesRegex(Exception, "45[01]"):  # neither known nor refused for good: the sender keeps it
            instances.send("s@elsewhere.example", ["new@example.test"], message("x"), source="127.0.0.2")
        wait_until(lambda: time.monotonic() - down_since > self.outage, self.outage + 30, "the outage")
        statuses = [status for _, status in instances.outcomes()]
        self.assertEqual(statuses.count("sent"), 2, "what came before")
        self.assertNotIn("bounced", statuses)
        self.assertEqual(instances.queued(), len(names))

        self.gate.open()
        recovered = time.monotonic()
        wait_until(lambda: instances.queued() == 0, 300, "the drain")
        took = time.monotonic() - recovered
        self.assertLess(took, 30 * slowness())
        stored = [m["subject"] for user in self.users for m in self.messages(user)]
        self.assertEqual(sorted(stored), sorted(names + ["before"] * 2))
        print("drained %.1f s after recovery" % took)


class PostgreSQLDown(DatabaseDown):
    engine = "postgresql"
    tcp_variable = "LMTPD_TEST_POSTGRESQL_TCP_URI"


class MariaDBDown(DatabaseDown):
    engine = "mysql"
    tcp_variable = "LMTPD_TEST_MYSQL_TCP_URI"


del DatabaseDown

if __name__ == "__main__":
    unittest.main()
