"""The real binary on each engine: what goes in comes out, octet for octet; and who gets what."""
import glob
import os
import unittest

from support import GOLDEN, Scene, message, on_each_engine


@on_each_engine
class Delivery(Scene):
    def test_golden_messages_come_out_as_they_went_in(self):
        self.start()
        client = self.client().lhlo()
        files = sorted(glob.glob(os.path.join(GOLDEN, "*.eml")))
        self.assertEqual(len(files), 40)
        for path in files:
            with open(path, "rb") as f:
                octets = f.read()
            with self.subTest(os.path.basename(path)):
                client.envelope("sender@example.test", ["alice@example.test"])
                replies = client.bdat(octets, 1)
                self.assertEqual(replies[0][0], 250, replies)
                uid = self.messages("alice@example.test")[-1]["uid"]
                expected = octets.replace(b"\0", b"\x80")
                self.assertEqual(self.export("alice@example.test", uid), b"Return-Path: sender@example.test\r\n" + expected)

    def test_unknown_inactive_alias_and_detail(self):
        self.ctl("alias", "add", "team@example.test", "alice@example.test")
        self.ctl("alias", "add", "team@example.test", "bob@example.test")
        self.ctl("alias", "add", "away@example.test", "someone@elsewhere.example")
        self.start()
        client = self.client().lhlo()
        replies = client.deliver("s@example.test", ["nobody@example.test", "Team@Example.Test", "alice+detail@example.test",
                                                    "away@example.test"], message("one"))
        self.assertEqual([code for code, _ in replies], [550, 250, 250, 451], replies)
        self.assertIn("4.3.5", replies[3][1])
        self.assertEqual(len(self.messages("alice@example.test")), 1)
        self.assertEqual(len(self.messages("bob@example.test")), 1)

    def test_quota_refuses_only_the_full_mailbox(self):
        self.ctl("user", "add", "full@example.test", "--quota", "1KiB")
        self.start()
        client = self.client().lhlo()
        big = message("big", "x" * 70 * 20 + "\r\n")
        replies = client.deliver("s@example.test", ["alice@example.test", "full@example.test", "bob@example.test"], big)
        self.assertEqual([code for code, _ in replies], [250, 452, 250], replies)
        self.assertEqual(self.messages("full@example.test"), [])

    def test_a_retry_after_a_lost_reply_is_stored_once(self):
        self.start()
        octets = message("once")
        for expected in ("Saved", "Already saved"):
            replies = self.client().lhlo().deliver("s@example.test", ["alice@example.test"], octets)
            self.assertEqual(replies[0][0], 250)
            self.assertIn(expected, replies[0][1])
        self.assertEqual(len(self.messages("alice@example.test")), 1)


if __name__ == "__main__":
    unittest.main()
