"""The database goes away, comes back, or loses the answer to a COMMIT: always 4xx, never a loss, never a second copy."""
import unittest
import urllib.parse

from support import Scene, message, server_uris, wait_until
from tcp_gate import TcpGate


class Outage(Scene):
    """Between lmtpd and the server stands a gate; lmtpctl goes the direct way."""

    tcp_variable = ""

    def setUp(self):
        super().setUp()
        direct = urllib.parse.urlsplit(server_uris()[self.tcp_variable])
        self.gate = TcpGate((direct.hostname, direct.port))
        self.addCleanup(self.gate.close)
        at = "%s:%s@127.0.0.1:%d" % (direct.username, direct.password, self.gate.port)
        self.gated = urllib.parse.urlunsplit(direct._replace(netloc=at, path="/" + self.store.name))
        self.direct_config = self.config_path
        self.config_path = self.direct_config + ".gated"
        self.write_config('[delivery]\nunavailable_retry = "1s"\n', uri=self.gated)

    def ctl(self, *arguments, **keywords):
        path, self.config_path = self.config_path, getattr(self, "direct_config", self.config_path)
        try:
            return super().ctl(*arguments, **keywords)
        finally:
            self.config_path = path

    def count(self, user="alice@example.test"):
        return len(self.messages(user))

    def deliver_until_stored(self, octets, recipients=("alice@example.test",)):
        """A sender's retries; every final reply is legal and the last ones are 250."""
        def attempt():
            replies = self.client().lhlo().deliver("s@example.test", list(recipients), octets)
            self.assertEqual(len(replies), len(recipients))
            for code, text in replies:
                self.assertIn(code, (250, 451, 452), text)
            return all(code == 250 for code, _ in replies)
        wait_until(attempt, 60, "the delivery after the outage")

    def test_down_at_start_means_451_until_it_is_there(self):
        self.gate.shut()
        self.start()
        code, text = self.client().lhlo().deliver("s@example.test", ["alice@example.test"], message("early"))[0]
        self.assertEqual((code, text[:5]), (451, "4.3.0"))
        self.gate.open()
        self.deliver_until_stored(message("late"))
        self.assertEqual(self.count(), 1)

    def test_down_between_rcpt_and_data(self):
        self.start()
        client = self.client().lhlo()
        replies = client.envelope("s@example.test", ["alice@example.test", "bob@example.test"])
        self.assertEqual([code for code, _ in replies], [250, 250])
        self.gate.shut()
        octets = message("cut off")
        replies = client.data(octets, 2)
        self.assertEqual([code for code, _ in replies], [451, 451])
        self.assertEqual(client.command("NOOP")[0], 250)
        self.gate.open()
        self.deliver_until_stored(octets, ["alice@example.test", "bob@example.test"])
        self.assertEqual((self.count(), self.count("bob@example.test")), (1, 1))

    def test_an_unreachable_directory_never_says_no_such_user(self):
        self.start()
        self.gate.shut()
        for recipient in ("alice@example.test", "nobody@example.test"):
            replies = self.client().lhlo().deliver("s@example.test", [recipient], message("x"))
            self.assertEqual(replies[0][0] // 100, 4, replies)

    def test_an_outage_and_its_end_are_one_log_line_each(self):
        self.start()
        self.deliver_until_stored(message("before"))
        self.gate.shut()
        # An idle daemon asks its database nothing; the first mail finds the outage.
        replies = self.client().lhlo().deliver("s@example.test", ["bob@example.test"], message("during"))
        self.assertEqual(replies[0][0], 451, replies)
        wait_until(lambda: "store_lost" in self.log(), 60, "the line that tells of the outage")
        reply = self.client().lhlo().command("MAIL FROM:<s@example.test>")
        self.assertEqual((reply[0], reply[1][:5]), (451, "4.3.0"), "MAIL is refused before the message is sent")
        self.gate.open()
        wait_until(lambda: "store_back" in self.log(), 60, "the line that tells of its end")
        self.deliver_until_stored(message("after"))
        self.assertEqual([self.log().count(word) for word in ("store_lost", "store_back")], [1, 1])

    def test_cut_idle_connections_are_replaced_before_they_cost_a_reply(self):
        self.start()
        self.deliver_until_stored(message("before"))
        self.gate.cut()
        replies = self.client().lhlo().deliver("s@example.test", ["bob@example.test"], message("after"))
        self.assertEqual(replies[0][0], 250, replies)

    def test_lost_answer_to_commit_is_settled(self):
        self.start()
        self.deliver_until_stored(message("warm"))
        self.gate.wait_for_commit = lambda: wait_until(lambda: self.count() == 2, 60, "the row")
        self.gate.at_commit = "cut_after"
        # The gate looks for the word itself, so the message must not hold it.
        replies = self.client().lhlo().deliver("s@example.test", ["alice@example.test"], message("in doubt, stored"))
        self.assertEqual(self.gate.commits_hit, 1)
        self.assertEqual(replies[0][0], 250, replies)
        self.assertEqual(self.count(), 2)

    def test_lost_commit_is_a_451_and_the_retry_is_stored_once(self):
        self.start()
        self.deliver_until_stored(message("warm"))
        self.gate.at_commit = "cut_before"
        octets = message("in doubt, not stored")
        replies = self.client().lhlo().deliver("s@example.test", ["alice@example.test"], octets)
        self.assertEqual(self.gate.commits_hit, 1)
        self.assertIn(replies[0][0], (250, 451), replies)
        self.deliver_until_stored(octets)
        self.assertEqual(self.count(), 2)


class OutageOfPostgreSQL(Outage):
    engine = "postgresql"
    tcp_variable = "LMTPD_TEST_POSTGRESQL_TCP_URI"


class OutageOfMySQL(Outage):
    engine = "mysql"
    tcp_variable = "LMTPD_TEST_MYSQL_TCP_URI"


del Outage

if __name__ == "__main__":
    unittest.main()
