"""lmtpctl, on each engine, as a script uses it."""
import base64
import os
import re
import subprocess
import unittest

from support import BIN, Scene, message, on_each_engine


@on_each_engine
class Ctl(Scene):
    def test_schema(self):
        report = self.ctl_json("schema", "check")
        self.assertEqual(report["problems"], [])
        self.assertTrue(report["ok"])
        self.ctl("schema", "create", expect=1)

    def test_users(self):
        added = self.ctl_json("user", "add", "dora@example.test", "--quota", "10MiB", "--alias", "d@example.test")
        self.assertEqual(added["quota"], 10 << 20)
        self.ctl("user", "add", "Dora@example.test", expect=1)
        listed = {user["userid"]: user for user in self.ctl_json("user", "list")}
        self.assertEqual(listed["dora@example.test"]["id"], added["id"])
        self.assertEqual([a["deliver_to"] for a in self.ctl_json("alias", "list", "d@example.test")], [str(added["id"])])
        self.assertEqual([m["name"] for m in self.ctl_json("mailbox", "list", "dora@example.test")], ["INBOX"])
        self.ctl("user", "remove", "dora@example.test")
        self.assertEqual(self.ctl_json("alias", "list", "d@example.test"), [])
        self.ctl("user", "remove", "dora@example.test", expect=1)
        self.ctl("user", "remove", "__public__", expect=1)

    def test_a_user_is_changed(self):
        self.start()
        deliver = lambda name: self.client().lhlo().deliver("s@example.test", ["c@example.test"], message(name))[0]
        self.ctl("user", "add", "c@example.test", "--quota", "1MiB")
        self.assertEqual(deliver("first")[0], 250)
        changed = self.ctl_json("user", "set", "C@example.test", "--quota", "2GiB")
        self.assertEqual((changed["userid"], changed["quota"], changed["active"], changed["used"] > 0), ("c@example.test", 2 << 30, True, True))
        self.assertIn("inactive, quota 2147483648", self.ctl("user", "set", "c@example.test", "--active", "no").decode())
        self.assertIn("new password", self.ctl("user", "set", "c@example.test", "--password-stdin", stdin="secret\n").decode())
        self.assertEqual([u["active"] for u in self.ctl_json("user", "list") if u["userid"] == "c@example.test"], [False])
        self.assertEqual(self.ctl_json("user", "set", "c@example.test", "--active", "yes")["quota"], 2 << 30)
        for wrong, status in ((["c@example.test"], 2), (["c@example.test", "--quota", "lots"], 2), (["c@example.test", "--active", "maybe"], 2),
                              (["nobody@example.test", "--active", "no"], 1), (["__public__", "--active", "no"], 1)):
            self.ctl("user", "set", *wrong, expect=status)
        self.ctl("user", "set", "c@example.test", "--password-stdin", stdin="\n", expect=2)

    def test_passwords_come_from_standard_input(self):
        self.ctl("user", "add", "p@example.test", "--password-stdin", stdin="secret\n")
        self.ctl("user", "add", "q@example.test", "--password-stdin", stdin="\n", expect=2)

    def test_aliases(self):
        self.ctl("alias", "add", "x@example.test", "alice@example.test")
        self.ctl("alias", "add", "x@example.test", "bob@example.test")
        self.assertEqual(len(self.ctl_json("alias", "list", "X@example.test")), 2)
        self.assertEqual(self.ctl_json("alias", "remove", "x@example.test", "bob@example.test")["removed"], 1)
        self.assertEqual(self.ctl_json("alias", "remove", "x@example.test")["removed"], 1)
        self.ctl("alias", "remove", "x@example.test", expect=1)
        self.ctl("alias", "add", "x@example.test", "|/bin/true", expect=2)
        outward = self.ctl("alias", "add", "x@example.test", "y@example.test", stderr=True).decode()
        self.assertIn("neither user nor alias", outward)
        self.assertEqual(self.ctl("alias", "add", "z@example.test", "x@example.test", stderr=True), b"")

    def test_messages(self):
        self.start()
        octets = message("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?Q?_folded?=")
        self.client().lhlo().deliver("s@example.test", ["alice@example.test"], octets)
        listed = self.messages("alice@example.test")
        self.assertEqual(len(listed), 1)
        self.assertEqual(listed[0]["subject"], "Grüße folded")
        self.assertEqual(listed[0]["size"], len(octets))
        self.assertRegex(listed[0]["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(self.export("alice@example.test", listed[0]["uid"]), b"Return-Path: s@example.test\r\n" + octets)
        self.ctl("message", "export", "alice@example.test", "INBOX", "999999", expect=1)
        latin = message("8 bit") + "Gr\u00fc\u00dfe\r\n".encode("latin-1")
        self.client().lhlo().deliver("s@example.test", ["alice@example.test"], latin)
        uid = self.messages("alice@example.test")[-1]["uid"]
        for wanted, sent in ((listed[0]["uid"], octets), (uid, latin)):
            shown = self.ctl_json("message", "export", "alice@example.test", "INBOX", str(wanted))
            read = base64.b64decode(shown["base64"]) if "base64" in shown else shown["octets"].encode()
            self.assertEqual(read, b"Return-Path: s@example.test\r\n" + sent)
        self.ctl("message", "list", "nobody@example.test", expect=1)
        self.ctl("message", "list", "alice@example.test", "NoSuchBox", expect=1)

    def test_explain(self):
        self.ctl("alias", "add", "@catch.test", "alice@example.test")
        found = self.ctl_json("explain", "anyone@catch.test")
        self.assertEqual(found["result"], "ok")
        self.assertEqual(len(found["targets"]), 1)
        self.assertGreater(len(found["steps"]), 2)
        self.assertFalse(found["temporary"])
        refused = self.ctl_json("explain", "anyone@nowhere.test", expect=1)
        self.assertEqual((refused["result"], refused["temporary"]), ("no_such_mailbox", False))
        self.ctl("alias", "add", "away@example.test", "someone@elsewhere.example")
        self.assertTrue(self.ctl_json("explain", "away@example.test", expect=1)["temporary"])
        self.ctl("alias", "add", "named@example.test", "alice@example.test")
        text = self.ctl("explain", "named@example.test").decode()
        self.assertTrue(re.search("alice@example.test|user [0-9]+", text), text)

    def test_usage(self):
        self.ctl(expect=2)
        self.ctl("user", "add", expect=2)
        done = subprocess.run([os.path.join(BIN, "lmtpctl"), "usr"], capture_output=True, timeout=60, text=True)
        self.assertEqual((done.returncode, "'usr'" in done.stderr), (2, True), done.stderr)
        self.ctl("user", "add", "z@example.test", "--quota", "lots", expect=2)
        self.ctl("user", "add", "", expect=2)
        self.ctl("user", "add", "z@example.test", "--alias", "", expect=2)
        self.ctl("alias", "add", "", "alice@example.test", expect=2)
        self.ctl("--help", expect=0)


if __name__ == "__main__":
    unittest.main()
