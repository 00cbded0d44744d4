"""conf/postfix/instances: made, used, changed, checked and removed, in a scratch folder and with postmulti."""
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from instances import SCRIPT, Instances, WithInstances
from support import Scene, message, slowness, wait_until


class Randmap(WithInstances):
    def test_create_to_first_delivered_message_within_15_seconds(self):
        limit = 15 * slowness()
        begin = time.monotonic()
        self.instances.create()
        self.deliver(1)
        took = time.monotonic() - begin
        print("delivered %.1f s after the beginning" % took)
        self.assertLess(took, max(limit, 15 * slowness()))

    def test_one_queue_id_goes_through_all_logs(self):
        self.instances.create()
        self.deliver(1)
        inbound = re.search(r"smtp\[\d+\]: (\w+): to=<alice@example.test>.*status=sent", self.instances.log("postfix-in")).group(1)
        outbound = re.search(r"smtpd\[\d+\]: (\w+): client=.*orig_queue_id=%s" % inbound, self.instances.log("postfix-out*"))
        self.assertIsNotNone(outbound)
        self.assertRegex(self.instances.log("postfix-out*"), r"lmtp\[\d+\]: %s: to=<alice@example.test>.*status=sent" % outbound.group(1))
        wait_until(lambda: "queue_id=" + inbound in self.log(), 60, "the inbound queue id in lmtpd's log")

    def test_every_outbound_instance_gets_its_share(self):
        self.instances.create("--verify", "none")
        self.deliver(40)
        shares = [self.instances.log("postfix-out%d" % n).count("status=sent") for n in (1, 2, 3)]
        self.assertEqual(sum(shares), 40)
        self.assertGreater(min(shares), 0, shares)
        self.assertEqual(self.instances.deferred(), [])

    def test_strangers_reach_known_recipients_only(self):
        self.instances.create()
        refused = self.instances.send("s@elsewhere.example", ["alice@example.test", "nobody@example.test", "x@elsewhere.example"],
                                      message("x"), source="127.0.0.2")
        self.assertEqual({address: code for address, (code, _) in refused.items()}, {"nobody@example.test": 550, "x@elsewhere.example": 554})
        self.assertNotIn(self.socket_path.encode(), refused["nobody@example.test"][1], "strangers need not know our paths")

    def test_create_again_changes_nothing_and_other_numbers_change_what_they_must(self):
        self.assertIn("changed", self.instances.create())
        pids = [self.master_pid(name) for name in ("postfix-in", "postfix-out1")]
        self.assertIn("nothing to change", self.instances.create())
        self.assertEqual(self.instances.check(), [])
        self.instances.create("--outbound", "1")
        self.assertEqual(sorted(self.instances.status()), ["postfix-in", "postfix-out1"])
        self.assertEqual(self.instances.check(), [])
        self.deliver(3)
        self.instances.create("--outbound", "2")
        self.assertEqual(self.instances.check(), [])
        self.assertEqual([self.master_pid(name) for name in ("postfix-in", "postfix-out1")], pids, "those that stay are not restarted")

    def master_pid(self, name):
        with open(os.path.join(self.instances.root, "var/spool", name, "pid/master.pid")) as f:
            return int(f.read())

    def test_remove_refuses_to_lose_mail_and_leaves_nothing(self):
        self.instances.create("--outbound", "1", "--verify", "none")
        self.stop(self.daemon)
        self.instances.send("s@example.test", ["alice@example.test"], message("waits"))
        wait_until(lambda: self.instances.status()["postfix-out1"]["deferred"] == 1, 60, "the deferred message")
        self.assertIn("postfix-out1", self.instances.run("remove", expect=1))
        self.assertTrue(self.instances.status()["postfix-out1"]["running"])
        self.start()
        wait_until(lambda: len(self.messages("alice@example.test")) == 1 and self.instances.queued() == 0, 60, "the delivery")
        self.instances.run("remove")
        self.assert_ports_free()
        self.assertIn("nothing to remove", self.instances.run("remove"))

    def test_local_cf_wins_and_is_kept(self):
        self.instances.create("--outbound", "1")
        with open(os.path.join(self.instances.config("postfix-in"), "local.cf"), "w") as f:
            f.write("smtpd_banner = $myhostname says hello\n# ours\nqueue_run_delay = 30s\n")
        self.instances.run("reload")
        self.instances.create()
        self.assertEqual(self.instances.check(), [], "no entry is there twice")
        shown = subprocess.run(["postconf", "-c", self.instances.config("postfix-in"), "-h", "queue_run_delay", "smtpd_banner"], capture_output=True,
                               text=True).stdout
        self.assertEqual(shown.split("\n")[:2], ["30s", "$myhostname says hello"])


class Haproxy(WithInstances):
    def test_delivers_with_the_clients_address_and_survives_an_outbound_outage(self):
        self.instances.create("--balance", "roundrobin", "--verify", "none")
        self.assertEqual(self.instances.check(), [])
        self.assertTrue(self.instances.status()["haproxy"]["running"])
        self.deliver(12, source="127.0.0.2")
        shares = [self.instances.log("postfix-out%d" % n).count("status=sent") for n in (1, 2, 3)]
        self.assertGreater(min(shares), 0, shares)
        self.assertIn("orig_client=unknown[127.0.0.2]", self.instances.log("postfix-out*"))
        subprocess.run(["postfix", "-c", self.instances.config("postfix-out2"), "stop"], check=True, capture_output=True, timeout=60)
        self.deliver(20)
        self.assertEqual(self.instances.deferred(), [], "the others took over")
        self.assertNotRegex(self.instances.log(), "fatal|throttling|haproxy read|haproxy: ", "health checks disturb nobody")
        self.assertNotIn("fatal", self.instances.run("create"))  # starts the stopped one again
        self.assertTrue(self.instances.status()["postfix-out2"]["running"])
        self.instances.run("remove")
        self.assert_ports_free()

    def test_back_to_randmap_ends_haproxy(self):
        self.instances.create("--balance", "leastconn", "--outbound", "2")
        self.deliver(2)
        self.instances.create("--balance", "randmap")
        self.assertNotIn("haproxy", self.instances.status())
        self.deliver(2)
        self.assertEqual(self.instances.check(), [])


class Postmulti(Scene):
    """On a real host, that is: in /etc, /var/spool and /var/lib, which are copies in a mount namespace of their own."""

    def test_the_host_way(self):
        self.start()
        self.instances = Instances(self)  # for its ports only
        folder = tempfile.mkdtemp(prefix="lmtpd-host.", dir="/tmp")
        self.addCleanup(shutil.rmtree, folder, True)
        os.chmod(folder, 0o755)
        script = """
            set -e
            cp -a /etc "$1/etc"; mkdir "$1/spool" "$1/lib"
            printf 'compatibility_level = 3.6\\n' > "$1/etc/postfix/main.cf"
            mount --bind "$1/etc" /etc; mount --bind "$1/spool" /var/spool; mount --bind "$1/lib" /var/lib
            instances=$2; shift 2
            trap '"$instances" remove --discard-queues' EXIT
            "$instances" create "$@"
            "$instances" create
            postmulti -l | awk '{print $1, $2, $3}'
            "$instances" check || true
            "$instances" status
            "$instances" remove
            echo "left: $(postconf -h multi_instance_directories) $(ls -d /etc/postfix-* /var/spool/postfix-* /var/lib/postfix-* 2>/dev/null)"
        """
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", folder, SCRIPT, "--domain", "example.test", "--outbound", "2", "--hostname",
                               "mx.example.test", "--listen", "127.0.0.1:%d" % self.instances.port, "--base-port",
                               str(self.instances.base_port), "--lmtpd-config", self.config_path], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("nothing to change", done.stdout)
        for name in ("postfix-in", "postfix-out1", "postfix-out2"):
            self.assertIn("%s lmtpd y" % name, done.stdout)
            self.assertRegex(done.stdout, "%s +running" % name)
        self.assertIn("0 problems", done.stdout)
        self.assertIn("left:  \n", done.stdout)


if __name__ == "__main__":
    unittest.main()
