"""The lookup tables in conf/postfix say of every address what lmtpd itself would say: known is what it stores or answers 4xx."""
import os
import shutil
import subprocess
import sys
import unittest

from instances import Instances
from support import Scene, message, on_each_engine, wait_until

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../conf/postfix"))
from daemon_facts import DaemonFacts
from plan import Plan

MAP_TYPES = {"sqlite": "sqlite", "postgresql": "pgsql", "mysql": "mysql"}
REFUSED = {"no_such_mailbox", "mailbox_disabled", "pipe_target"}

# alias → targets; {alice} etc. stand for user ids
ALIASES = [
    ("info@example.test", "{alice}"), ("Mixed.Case@Example.Test", "{bob}"), ("list@example.test", "{alice}"), ("list@example.test", "{bob}"),
    ("gone@example.test", "999999"), ("plus@example.test", " +{alice}"), ("name@example.test", "alice@example.test"),
    ("away@example.test", "someone@elsewhere.example"), ("mixed@example.test", "someone@elsewhere.example"), ("mixed@example.test", "999999"),
    ("run@example.test", "|/bin/false"), ("shout@example.test", "!/bin/false"), ("run-and-store@example.test", "|/bin/false"),
    ("run-and-store@example.test", "{bob}"), ("closed@example.test", "{idle}"), ("idle@example.test+", "{alice}"),
    ("one@example.test", "two@example.test"), ("two@example.test", "three@example.test"), ("three@example.test", "{bob}"),
    ("loop-a@example.test", "loop-b@example.test"), ("loop-b@example.test", "loop-a@example.test"),
    ("self@example.test", "self@example.test"), ("self-and-more@example.test", "SELF-and-more@example.test"),
    ("self-and-more@example.test", "{alice}"), ("loop-c@caught.example", "loop-c2@caught.example"),
    ("loop-c2@caught.example", "loop-c@caught.example"), ("team@example.test", "{bob}"), ("team+closed@example.test", "{idle}"),
    ("@caught.example", "{alice}"), ("@.parent.example", "{bob}"), ("@deep.parent.example", "999999"), ("@.example.org", "|/bin/false"),
    ("@far.elsewhere.example", "someone@elsewhere.example"), ("@.wide", "{bob}"), ("postmaster@", "{alice}"), ("hostmaster@", "gone2@nowhere.example"),
    ("quote'd@example.test", "{bob}"), ("percent%x@example.test", "{alice}"), ("under_score@example.test", "{alice}"),
] + [("chain%d@example.test" % n, "chain%d@example.test" % (n + 1)) for n in range(1, 30)] + [("chain30@example.test", "{bob}")]

ADDRESSES = [
    "alice@example.test", "ALICE@Example.TEST", "nobody@example.test", "alice+work@example.test", "nobody+work@example.test",
    "+work@example.test", "alice+@example.test", "alice+a+b@example.test", "full@example.test", "idle@example.test", "idle+x@example.test",
    "info@example.test", "info+x@example.test", "mixed.case@example.test", "list@example.test", "gone@example.test", "plus@example.test",
    "name@example.test", "away@example.test", "mixed@example.test", "run@example.test", "shout@example.test", "run-and-store@example.test",
    "closed@example.test", "one@example.test", "loop-a@example.test", "loop-c@caught.example", "self@example.test", "self-and-more@example.test",
    "team+closed@example.test", "team+open@example.test", "any@caught.example", "any@sub.caught.example", "any@x.parent.example",
    "any@y.x.parent.example", "any@parent.example", "any@deep.parent.example", "any@example.org", "any@x.example.org", "any@far.elsewhere.example",
    "any@whole.wide", "any@wide", "postmaster@example.test", "postmaster@nowhere.example", "hostmaster@nowhere.example",
    "postmaster+x@nowhere.example", "quote'd@example.test", "percent%x@example.test", "percentx@example.test", "under_score@example.test",
    "underxscore@example.test", "anyone@example.test", "chain30@example.test", "chain20@example.test", "chain10@example.test",
    "chain9@example.test", "chain1@example.test", "%@example.test", "%%@example.test", "_@example.test", "o'brien@example.test", "x@",
]


@on_each_engine
class LookupTables(Scene):
    def setUp(self):
        super().setUp()
        self.ctl("user", "add", "full@example.test", "--quota", "1KiB")
        self.ctl("user", "add", "idle@example.test")
        ids = {user["userid"].split("@")[0]: user["id"] for user in self.ctl_json("user", "list") if "@" in user["userid"]}
        rows = ", ".join("('%s', '%s')" % (alias.replace("'", "''"), target.format(**ids)) for alias, target in ALIASES)
        self.store.sql("insert into dbmail_aliases (alias, deliver_to) values %s; "
                       "update dbmail_users set active = 0 where userid = 'idle@example.test'; "
                       "update dbmail_users set curmail_size = 5000 where userid = 'full@example.test'" % rows)

    def explained(self, address):
        done = subprocess.run([os.path.join(os.environ["LMTPD_BIN"], "lmtpctl"), "--config", self.config_path, "explain", address],
                              capture_output=True, timeout=60, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        last = done.stdout.splitlines()[-1]
        return last.removeprefix("refused: ").split()[0] if last.startswith("refused: ") else "ok"

    def test_the_table_says_what_lmtpd_says(self):
        table = os.path.join(self.folder, "table.cf")
        with open(table, "w") as f:
            f.write(Plan("/", {"outbound": 1}, DaemonFacts(self.config_path)).lookup_table())
        done = subprocess.run(["postmap", "-q", "-", "%s:%s" % (MAP_TYPES[self.engine], table)], input="\n".join(ADDRESSES) + "\n",
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        found = {line.split("\t")[0] for line in done.stdout.splitlines()}
        wrong, reasons = [], set()
        for address in ADDRESSES:
            reason = self.explained(address) if not address.endswith("@") else "no_such_mailbox"
            reasons.add(reason)
            if (address in found) != (reason not in REFUSED):
                wrong.append((address, reason, address in found))
        self.assertEqual(wrong, [])
        self.assertEqual(reasons, REFUSED | {"ok", "over_quota", "external_only"}, "all outcomes were met")

    def test_postfix_refuses_at_the_door_and_delivers_the_rest(self):
        if self.engine == "sqlite":  # as sqlite-virtual-mailbox.cf says
            store = os.path.join(self.folder, "store.db")
            shutil.chown(self.folder, group="postfix")
            os.chmod(self.folder, 0o2775)
            shutil.chown(store, group="postfix")
            os.chmod(store, 0o660)
        self.start()
        instances = Instances(self)
        instances.create("--verify", "tables", "--outbound", "1")
        refused = instances.send("s@elsewhere.example", ["info@example.test", "nobody@example.test", "alice+x@example.test", "closed@example.test"],
                                 message("by table"), source="127.0.0.2")
        self.assertEqual({address: code for address, (code, _) in refused.items()}, {"nobody@example.test": 550, "closed@example.test": 550})
        wait_until(lambda: len(instances.outcomes()) >= 2, 60, "the deliveries")
        self.assertEqual({status for _, status in instances.outcomes()}, {"sent"})
        self.assertEqual(instances.check(), [])


if __name__ == "__main__":
    unittest.main()
