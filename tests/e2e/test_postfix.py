"""A real Postfix delivers to the socket, to each engine."""
import re
import unittest

from postfix_instance import Postfix
from support import Scene, message, on_each_engine, wait_until


@on_each_engine
class PostfixDelivers(Scene):
    def setUp(self):
        super().setUp()
        self.ctl("user", "add", "full@example.test", "--quota", "1KiB")
        self.start()
        self.postfix = Postfix(self.socket_path)
        self.addCleanup(self.postfix.stop)
        self.postfix.start()

    def test_mixed_results_reach_the_right_recipients(self):
        octets = message("through Postfix", "a line\r\n.dots\r\n" * 200)
        self.postfix.send("s@example.test", ["alice@example.test", "nobody@example.test", "full@example.test", "bob@example.test"], octets)
        wait_until(lambda: len(re.findall(r"status=(?:sent|bounced|deferred)", self.postfix.log())) >= 4, 60, "four results")
        results = dict(re.findall(r"to=<(alice|bob|nobody|full)@example.test>.*status=([a-z]+)", self.postfix.log()))
        self.assertEqual(results, {"alice": "sent", "bob": "sent", "nobody": "bounced", "full": "deferred"})
        for user in ("alice@example.test", "bob@example.test"):
            stored = self.messages(user)
            self.assertEqual([m["subject"] for m in stored], ["through Postfix"])
            exported = self.export(user, stored[0]["uid"])
            self.assertTrue(exported.startswith(b"Return-Path: s@example.test\r\n"))
            self.assertTrue(exported.endswith(octets), "what Postfix received ends what it delivered")

    def test_the_queue_id_is_in_both_logs(self):
        self.postfix.send("s@example.test", ["alice@example.test"], message("traced"))
        found = wait_until(lambda: re.search(r"lmtp\[\d+\]: ([0-9A-F]+): to=<alice@example.test>.*status=sent", self.postfix.log()), 60, "delivery")
        wait_until(lambda: found.group(1) in self.log(), 60, "Postfix's queue id in our log")

    def test_a_hundred_messages_in_parallel_arrive_once(self):
        for number in range(100):
            self.postfix.send("s@example.test", ["alice@example.test", "bob@example.test"], message("n%d" % number))
        wait_until(lambda: len(re.findall("status=sent", self.postfix.log())) >= 200, 60, "200 deliveries")
        self.assertEqual(self.postfix.queued(), [])
        for user in self.users:
            stored = self.messages(user)
            self.assertEqual(sorted(m["subject"] for m in stored), sorted("n%d" % n for n in range(100)))
            self.assertEqual(sorted(m["uid"] for m in stored), [m["uid"] for m in stored])

    def test_null_sender_and_smtputf8(self):
        self.postfix.send("", ["alice@example.test"], message("bounce"))
        self.postfix.send("s@example.test", ["alice@example.test"], message("utf8").replace(b"Carol", "Köchin".encode()), ["SMTPUTF8", "BODY=8BITMIME"])
        wait_until(lambda: len(self.messages("alice@example.test")) == 2, 60, "both messages")
        first = min(self.messages("alice@example.test"), key=lambda m: m["subject"])
        self.assertTrue(self.export("alice@example.test", first["uid"]).startswith(b"Return-Path: \r\n"))


if __name__ == "__main__":
    unittest.main()
