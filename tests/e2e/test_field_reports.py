"""What users of comparable software suffered from, against the real binary on each engine. The names begin with the report's number;
tests/README.md lists where the others are."""
import threading
import unittest

from support import Scene, message, on_each_engine, wait_until

# A trigger that refuses a row: the store's own way to fail at a chosen place.
REFUSE = {
    "sqlite": "create trigger refuse before insert on dbmail_{table} when {when} begin select raise(abort, 'refused'); end;",
    "postgresql": "create function refuse() returns trigger language plpgsql as $$ begin if {when} then raise exception 'refused'; end if; "
                  "return new; end $$; create trigger refuse before insert on dbmail_{table} for each row execute function refuse();",
    "mysql": "create trigger refuse before insert on dbmail_{table} for each row begin if {when} then signal sqlstate '45000'; end if; end",
}
UNREFUSE = {"sqlite": "drop trigger refuse;", "postgresql": "drop trigger refuse on dbmail_{table};", "mysql": "drop trigger refuse"}

TWO_PARTS = ("Content-Type: multipart/mixed; boundary=b\r\n",
             "--b\r\n\r\nfirst\r\n--b\r\nContent-Type: application/x\r\n\r\nsecond part\r\n--b--\r\n")


@on_each_engine
class FieldReports(Scene):
    def refuse(self, table, when):
        self.store.sql(REFUSE[self.engine].format(table=table, when=when))

    def unrefuse(self, table):
        self.store.sql(UNREFUSE[self.engine].format(table=table))

    def deliver(self, recipients, octets):
        return self.client().lhlo().deliver("s@example.test", recipients, octets)

    def test_A3_a_part_that_cannot_be_stored_takes_the_whole_message_back(self):
        self.start()
        self.refuse("mimeparts", "new.size = 11")  # "second part"
        octets = message("two parts", TWO_PARTS[1], TWO_PARTS[0])
        for attempt in range(2):
            replies = self.deliver(["alice@example.test", "bob@example.test"], octets)
            self.assertEqual([code for code, _ in replies], [451, 451], replies)
        self.assertEqual(self.messages("alice@example.test"), [])
        self.unrefuse("mimeparts")
        replies = self.deliver(["alice@example.test", "bob@example.test"], octets)
        self.assertEqual([code for code, _ in replies], [250, 250], replies)
        for user in self.users:
            stored = self.messages(user)
            self.assertEqual(len(stored), 1)
            self.assertTrue(self.export(user, stored[0]["uid"]).endswith(octets))

    def test_A12_a_refused_row_of_messages_is_temporary(self):
        self.start()
        self.refuse("messages", "new.status = 0")
        octets = message("refused")
        self.assertEqual(self.deliver(["alice@example.test"], octets)[0][0], 451)
        self.unrefuse("messages")
        self.assertEqual(self.deliver(["alice@example.test"], octets)[0][0], 250)
        self.assertEqual(len(self.messages("alice@example.test")), 1)

    def test_A11_a_mailbox_that_vanishes_between_rcpt_and_the_end_of_data(self):
        self.start()
        client = self.client().lhlo()
        replies = client.envelope("s@example.test", ["alice@example.test", "bob@example.test"])
        self.assertEqual([code for code, _ in replies], [250, 250])
        self.ctl("user", "remove", "bob@example.test")
        replies = client.data(message("one is gone"), 2)
        self.assertEqual(replies[0][0], 250, replies)
        self.assertEqual((replies[1][0], replies[1][1][:5]), (550, "5.1.1"), replies)
        self.assertEqual(len(self.messages("alice@example.test")), 1)

    def test_A15_two_aliases_and_the_address_of_one_user_are_one_copy(self):
        self.ctl("alias", "add", "a1@example.test", "alice@example.test")
        self.ctl("alias", "add", "a2@example.test", "alice@example.test")
        self.start()
        replies = self.deliver(["a1@example.test", "a2@example.test", "alice@example.test"], message("thrice"))
        self.assertEqual([code for code, _ in replies], [250, 250, 250])
        self.assertEqual(len(self.messages("alice@example.test")), 1)

    def test_A16_a_client_that_gives_up_after_the_dot_and_redelivers(self):
        self.start()
        octets = message("patience", "x" * 70000 + "\r\n")
        for attempt in range(3):
            client = self.client().lhlo()
            client.envelope("s@example.test", list(self.users))
            self.assertEqual(client.command("DATA")[0], 354)
            client.send(octets + b".\r\n")
            client.close()
        wait_until(lambda: len(self.messages("alice@example.test")) > 0, 60, "the delivery whose client is gone")
        replies = self.deliver(list(self.users), octets)
        self.assertEqual([code for code, _ in replies], [250, 250])
        for user in self.users:
            self.assertEqual(len(self.messages(user)), 1)

    def test_A18_equal_message_ids_are_no_reason_to_drop_mail(self):
        self.start()
        first = message("same id")
        for octets in (first, first + b"another body\r\n", first.replace(b"Message-ID:", b"X-No-Id:"),
                       first.replace(b"Message-ID:", b"X-No-Id:") + b"more\r\n"):
            self.assertEqual(self.deliver(["alice@example.test"], octets)[0][0], 250)
        self.assertEqual(len(self.messages("alice@example.test")), 4)

    def test_A48_fifty_parallel_messages_into_room_for_ten(self):
        size = 4000
        self.ctl("user", "add", "tight@example.test", "--quota", "%dB" % (10 * size))
        self.start()
        codes, lock = [], threading.Lock()

        def one(number):
            octets = message("q%02d" % number)
            octets += b"x" * (size - len(octets) - 2) + b"\r\n"
            code = self.deliver(["tight@example.test"], octets)[0][0]
            with lock:
                codes.append(code)

        threads = [threading.Thread(target=one, args=(n,)) for n in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((codes.count(250), codes.count(452)), (10, 40), codes)
        stored = self.messages("tight@example.test")
        self.assertEqual(sum(m["size"] for m in stored), 10 * size)
        used = {u["userid"]: u["used"] for u in self.ctl_json("user", "list")}["tight@example.test"]
        self.assertEqual(used, 10 * size, "the counter equals the sum")

    def test_A60_no_uid_appears_below_one_that_was_seen(self):
        self.start()
        self.config_path, first = self.config_path + ".second", self.config_path
        self.socket_path, first_socket = self.socket_path + "2", self.socket_path
        self.write_config()
        self.start()  # a second daemon on the same store
        seen, stop = [], threading.Event()

        def poll():
            while not stop.is_set():
                seen.append([m["uid"] for m in self.messages("alice@example.test")])

        def load(path, prefix):
            client = self.client(path).lhlo()
            for number in range(40):
                self.assertEqual(client.deliver("s@example.test", ["alice@example.test"], message(prefix + str(number)))[0][0], 250)

        poller = threading.Thread(target=poll)
        loads = [threading.Thread(target=load, args=a) for a in ((first_socket, "a"), (self.socket_path, "b"), (first_socket, "c"))]
        poller.start()
        for thread in loads:
            thread.start()
        for thread in loads:
            thread.join()
        stop.set()
        poller.join()
        self.assertEqual(len(self.messages("alice@example.test")), 120)
        for earlier, later in zip(seen, seen[1:]):
            self.assertEqual(later[:len(earlier)], earlier, "a UID appeared below one that was visible")


if __name__ == "__main__":
    unittest.main()
