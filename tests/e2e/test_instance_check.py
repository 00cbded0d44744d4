"""instances check finds what Postfix's own checks do not."""
import os
import re
import signal
import unittest

from instances import WithInstances


class Check(WithInstances):
    """Each fault alone is found, and named where it is."""

    def setUp(self):
        super().setUp()
        self.instances.create("--outbound", "2")

    def edit(self, name, file, old, new):
        path = os.path.join(self.instances.config(name), file)
        with open(path) as f:
            text = f.read()
        self.assertIn(old, text)
        with open(path, "w") as f:
            f.write(text.replace(old, new, 1))
        self.addCleanup(self.restore, path, text)
        return path, text

    def restore(self, path, text):
        if os.path.exists(path):
            with open(path, "w") as f:
                f.write(text)

    def assert_found(self, instance, pattern, severity="problem"):
        found = self.instances.check(expect=1 if severity == "problem" else 0)
        self.assertTrue([f for f in found if f[0] == severity and f[1] == instance and re.search(pattern, f[2])], found)

    def test_faults_in_files(self):
        end = "mailbox_size_limit = 0\n"
        relay = "  -o smtp_send_xforward_command=yes\n"
        for name, file, old, new, pattern in [
            ("postfix-out1", "main.cf", end, end + "slow_flush_warning_time = 0\n", "unknown parameter.*slow_flush_warning_time"),
            ("postfix-out1", "main.cf", end, end + "queue_run_delay = 10s\n", "overriding earlier entry.*queue_run_delay"),
            ("postfix-out1", "main.cf", "virtual_transport = lmtp:", "virtual_transport = smtp_balanced:", "smtp_balanced, which master.cf does not have"),
            ("postfix-out2", "main.cf", end, end + "smtp_data_done_timeout = 15s\n", "smtp_data_done_timeout = 15 s is below"),
            ("postfix-out2", "main.cf", "lmtp_data_done_timeout = 600s", "lmtp_data_done_timeout = 200s", "timeouts.taken"),
            ("postfix-in", "main.cf", "message_size_limit = ", "message_size_limit = 9", "message_size_limit is above"),
            ("postfix-in", "master.cf", relay, relay + "  -o smtp_conection_cache=no\n", "smtp_conection_cache.*unknown parameter"),
            ("postfix-in", "master.cf", relay, relay + "  -o relay_destination_concurrency_limit=50\n", "has no effect"),
            ("postfix-out1", "master.cf", "lmtp      unix       -      -      n", "lmtp      unix       -      -      y", "chrooted"),
        ]:
            with self.subTest(pattern):
                path, text = self.edit(name, file, old, new)
                self.assert_found(name, pattern)
                self.restore(path, text)
        self.assertEqual(self.instances.check(), [])

    def test_more_sessions_than_lmtpd_allows(self):
        self.write_config("[limits]\nsessions = 60\n")  # two instances of 50, and five for questions
        self.assert_found("lmtpd", r"105 LMTP sessions at once, lmtpd allows 60")
        self.instances.create()
        self.assertEqual(self.instances.check(), [])

    def test_recipient_limit_1_lets_only_process_limits_count(self):
        path, text = self.edit("postfix-out1", "main.cf", "lmtp_line_length_limit", "lmtp_destination_recipient_limit = 1\nlmtp_line_length_limit")
        self.edit("postfix-out1", "master.cf", "n      -      50 lmtp", "n      -      2000 lmtp")
        self.assert_found("lmtpd", r"2055 LMTP sessions")

    def test_a_socket_that_cannot_be_reached(self):
        os.chmod(self.socket_path, 0o600)
        self.assert_found("postfix-out1", "cannot be reached as user postfix: Permission denied")
        os.chmod(self.socket_path, 0o666)
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()
        self.assert_found("postfix-out2", "cannot be reached as user postfix: Connection refused")
        os.unlink(self.socket_path)
        self.assert_found("postfix-in", "No such file")

    def test_an_instance_that_is_gone(self):
        moved = self.instances.config("postfix-out2") + ".moved"
        os.rename(self.instances.config("postfix-out2"), moved)
        self.addCleanup(lambda: os.path.exists(moved) and os.rename(moved, self.instances.config("postfix-out2")))
        self.assert_found("postfix-out2", "the instance is gone")


if __name__ == "__main__":
    unittest.main()
