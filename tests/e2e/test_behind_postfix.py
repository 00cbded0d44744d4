"""What makes lmtpd a good neighbour of Postfix: restarts, outages and full backlogs that cost nobody's mail, and defer as little as can be."""
import os
import signal
import socket
import threading
import time
import unittest
import urllib.parse

from instances import Instances
from support import Client, Scene, message, server_uris, wait_until
from tcp_gate import TcpGate


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
        wait_until(lambda: self.log().count("listens at") > self.starts or process.poll() is not None, 20, "the start")
        self.assertIsNone(process.poll(), self.log()[-2000:])
        self.starts += 1
        return process

    def test_restarts_under_load_defer_nothing_and_lose_nothing(self):
        process = self.start_with_socket()
        instances = Instances(self)
        instances.create("--verify", "none")
        messages = [(self.users[n % 2], message("n%d" % n)) for n in range(400)]
        sender = threading.Thread(target=instances.send_many, args=(messages,))
        sender.start()
        restarts = 0
        while sender.is_alive() and restarts < 5:
            time.sleep(1)
            self.assertEqual(self.stop(process), 0)
            time.sleep(0.5)  # longer than systemd would take
            process = self.start_with_socket()
            restarts += 1
        sender.join()
        self.assertGreaterEqual(restarts, 2)
        wait_until(lambda: len(instances.outcomes()) >= 400, 120, "400 deliveries")
        self.assertEqual(instances.deferred(), [])
        stored = [m["subject"] for user in self.users for m in self.messages(user)]
        self.assertEqual(sorted(stored), sorted("n%d" % n for n in range(400)))


if __name__ == "__main__":
    unittest.main()
