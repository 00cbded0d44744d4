"""Start, check, reload, drain, activation, loss of the process: what an operator does to lmtpd."""
import os
import re
import signal
import socket
import stat
import subprocess
import threading
import unittest

from support import BIN, Client, Scene, message, wait_until


def resident_kib(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"VmRSS:\s+(\d+) kB", f.read()).group(1))


class Start(Scene):
    def run_lmtpd(self, *arguments):
        return subprocess.run([os.path.join(BIN, "lmtpd"), "--config", self.config_path, *arguments], capture_output=True, timeout=60,
                              text=True)

    def test_a_mistake_in_the_configuration_ends_the_start_with_its_place(self):
        self.write_config("[limits]\nmesage_size = 5\n")
        done = self.run_lmtpd()
        self.assertEqual(done.returncode, 78)
        self.assertIn("lmtpd.toml:7:1: unknown key 'limits.mesage_size'; did you mean 'limits.message_size'?", done.stderr)

    def test_an_unknown_engine_is_named_with_the_nearest(self):
        self.write_config(uri="sqlit:///tmp/x.db")
        done = self.run_lmtpd()
        self.assertEqual(done.returncode, 78)
        self.assertIn("sqlite", done.stderr)

    # Field report A69: the first set-up. What is wrong is said, with the next step.
    def test_a_database_without_the_tables_ends_the_start_with_the_list(self):
        self.write_config(uri="sqlite://" + os.path.join(self.folder, "empty.db"))
        done = self.run_lmtpd()
        self.assertEqual(done.returncode, 78, done.stderr)
        for table in ("messages", "mimeparts", "partlists", "users"):
            self.assertIn(table, done.stderr)
        self.assertIn("schema create", done.stderr)
        done = self.run_lmtpd("--check")
        self.assertEqual(done.returncode, 1)
        said = [line.split(None, 1) for line in done.stdout.splitlines()]
        problems = [text for kind, text in said if kind == "problem"]
        self.assertEqual(len(problems), 1, problems)
        self.assertIn('the database is empty: run "lmtpctl schema create"', problems[0])
        self.assertIn("database sqlite://%s/empty.db, SQLite" % self.folder, done.stdout)
        for command in (("user", "list"), ("alias", "list"), ("explain", "alice@example.test"), ("message", "list", "alice@example.test")):
            self.ctl(*command, expect=1)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "empty.db")))
        self.write_config('[log]\ndestination = "file"\nfile = "%s"\n' % self.log_path, "sqlite://" + os.path.join(self.folder, "empty.db"))
        done = self.run_lmtpd()
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("lmtpd --check", done.stderr)

    # Field report A69.
    def test_check_prints_each_result(self):
        self.ctl("alias", "add", "away@example.test", "someone@elsewhere.example")
        done = self.run_lmtpd("--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for word in ("configuration", "listen unix:", "SQLite", "schema", "away@example.test"):
            self.assertIn(word, done.stdout)

    def test_check_names_a_missing_socket_folder(self):
        self.write_config(listen=["unix:/nonexistent/folder/lmtp.sock"])
        done = self.run_lmtpd("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/folder", done.stdout)

    def test_mistakes_that_show_late_have_their_place_too(self):
        for uri, listen, words in (("oracle://x/y", None, "lmtpd.toml:2:7: storage.uri: unknown engine"),
                                   (None, ["/run/lmtp.sock"], "lmtpd.toml:4:8: listen.lmtp: "),
                                   (None, ["unix:/run/" + 107 * "a"], "is too long"),
                                   (None, ["unix:" + self.config_path], "lmtpd.toml:4:8: listen.lmtp: ")):
            self.write_config(uri=uri, listen=listen)
            done = self.run_lmtpd()
            self.assertEqual(done.returncode, 78)
            self.assertIn(words, done.stderr)

    # systemd repeats a start that ends with 75, and none that ends with 78.
    def test_an_address_in_use_or_not_up_yet_is_a_fault_that_passes(self):
        with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as local:
            tcp.setblocking(False)
            local.bind(self.socket_path)
            local.listen(100)
            used = "inet:127.0.0.1:%d" % tcp.getsockname()[1]
            for listen, words in ((used, "cannot listen at %s: Address already in use: another process listens there" % used),
                                  ("inet:192.0.2.1:2424", "cannot listen at inet:192.0.2.1:2424: Cannot assign requested address: "),
                                  ("unix:" + self.socket_path, "another process listens at " + self.socket_path)):
                self.write_config(listen=[listen])
                done = self.run_lmtpd()
                self.assertEqual(done.returncode, 75, done.stderr)
                self.assertIn("lmtpd.toml:4:8: listen.lmtp: " + words, done.stderr)
                done = self.run_lmtpd("--check")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("lmtpd.toml:4:8: listen.lmtp: " + words, done.stdout)
            self.assertRaises(BlockingIOError, tcp.accept)

    def test_check_names_a_port_that_the_user_may_not_have(self):
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start") as f:
            denied = int(f.read()) > 1
        self.write_config('[server]\nuser = "nobody"\n' if os.geteuid() == 0 else "", listen=["inet:127.0.0.1:1"])
        said = self.run_lmtpd("--check").stdout
        self.assertEqual("lmtpd.toml:4:8: listen.lmtp: cannot listen at inet:127.0.0.1:1: Permission denied: a port below" in said, denied, said)
        self.assertEqual("listen inet:127.0.0.1:1\n" in said, not denied, said)
        if denied:
            self.assertEqual(self.run_lmtpd().returncode, 78)

    def test_check_names_a_group_that_the_socket_cannot_be_given(self):
        os.chmod(self.folder, 0o777 | stat.S_ISVTX)
        os.chmod(self.store.uri.removeprefix("sqlite://"), 0o666)
        self.write_config('socket_group = "54321"\n' + ('[server]\nuser = "nobody"\n' if os.geteuid() == 0 else ""))
        words = "lmtpd.toml:6:16: listen.socket_group: the user that lmtpd runs as is not a member of this group"
        done = self.run_lmtpd("--check")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(words, done.stdout)
        done = self.run_lmtpd()
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertFalse(os.path.exists(self.socket_path))

    def test_check_names_a_log_file_that_cannot_be_written(self):
        self.write_config('[log]\ndestination = "file"\nfile = "/nonexistent/lmtpd.log"\n')
        done = self.run_lmtpd("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("lmtpd.toml:8:8: log.file: the folder /nonexistent/ cannot be written", done.stdout)

    def test_check_names_a_store_that_the_daemon_may_only_read(self):
        if os.geteuid() == 0:  # lmtpctl has made the store as root, and root may write everywhere
            path = self.store.uri.removeprefix("sqlite://")
            os.chmod(path, 0o644)
            os.chmod(self.folder, 0o777 | stat.S_ISVTX)
            self.write_config('[server]\nuser = "nobody"\n')
        else:
            os.chmod(self.store.uri.removeprefix("sqlite://"), 0o444)
        done = self.run_lmtpd("--check")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("store.db cannot be written (file and folder must belong to the user", done.stdout)

    def test_wrong_usage_is_told_from_a_wrong_configuration(self):
        self.assertEqual(self.run_lmtpd("--chekc").returncode, 64)
        for status in ("75 ", "78 "):
            self.assertIn(status, self.run_lmtpd("--help").stdout)

    def test_print_config_is_the_shipped_file(self):
        shipped = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../conf/lmtpd.toml")
        with open(shipped) as f:
            self.assertEqual(self.run_lmtpd("--print-config").stdout, f.read())


class Running(Scene):
    def test_sigterm_finishes_accepted_data_and_ends_with_0(self):
        process = self.start()
        client = self.client().lhlo()
        client.envelope("s@example.test", ["alice@example.test"])
        self.assertEqual(client.command("DATA")[0], 354)
        idle = self.client().lhlo()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(idle.reply()[0], 421)
        client.send(message("last") + b".\r\n")
        self.assertEqual(client.reply()[0], 250)
        client.close()
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(len(self.messages("alice@example.test")), 1)
        self.assertFalse(os.path.exists(self.socket_path))

    def test_sighup_takes_over_what_can_be_reread(self):
        process = self.start()
        client = self.client().lhlo()
        self.write_config('[limits]\nmessage_size = "64KiB"\n[delivery]\nlanes = 5\n')
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: "configuration read again" in self.log(), 60, "the reload")
        self.assertIn("delivery.lanes", self.log())
        self.assertNotIn("server.hostname", self.log())
        later = self.client().lhlo()
        self.assertEqual(later.command("MAIL FROM:<s@example.test> SIZE=100000")[0], 552)
        self.assertEqual(client.command("MAIL FROM:<s@example.test> SIZE=100000")[0], 250, "what it was told at LHLO holds")
        self.write_config("[limits]\nmessage_size = 1\n")
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: "stays in use" in self.log(), 60, "the refused reload")
        self.assertIsNone(process.poll())

    def test_kill_9_loses_nothing_acknowledged_and_doubles_nothing(self):
        process = self.start()
        acknowledged, sent, lock = set(), {}, threading.Lock()

        def client_loop(number):
            client = Client(self.socket_path)
            try:
                client.lhlo()
                for i in range(100000):
                    name = "%d-%d" % (number, i)
                    octets = message(name)
                    with lock:
                        sent[name] = octets
                    if client.deliver("s@example.test", ["alice@example.test"], octets)[0][0] == 250:
                        with lock:
                            acknowledged.add(name)
            except (OSError, ConnectionError):
                pass
            finally:
                client.close()

        threads = [threading.Thread(target=client_loop, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(acknowledged) > 100, 60, "100 deliveries")
        process.kill()
        process.wait()
        for thread in threads:
            thread.join()
        self.start()
        client = self.client().lhlo()
        for name in set(sent) - acknowledged:  # the sender's retry
            self.assertEqual(client.deliver("s@example.test", ["alice@example.test"], sent[name])[0][0], 250)
        subjects = [m["subject"] for m in self.messages("alice@example.test")]
        self.assertEqual(sorted(subjects), sorted(sent))

    def test_1000_idle_sessions_take_less_than_64_mib(self):
        process = self.start()
        first = [self.client().lhlo() for _ in range(5)]
        before = resident_kib(process.pid)
        sessions = [self.client().lhlo() for _ in range(990)]
        growth = resident_kib(process.pid) - before
        self.assertLess(growth, 64 * 1024, "KiB for %d sessions" % len(sessions))
        self.assertEqual(sessions[-1].command("NOOP")[0], 250)
        self.assertEqual(first[0].command("NOOP")[0], 250)

    def test_the_log_has_one_line_per_outcome_and_no_forged_one(self):
        self.start()
        client = self.client().lhlo()
        client.deliver("s@example.test", ["alice@example.test", "nobody@example.test"],
                       message("x", headers="X-Evil: 1\r\n").replace(b"Message-ID: <", b"Message-ID: <a\x1b[31m\n2026 lmtpd delivered forged "))
        wait_until(lambda: "nobody@example.test" in self.log() and "delivered" in self.log(), 60, "the outcome lines")
        lines = [line for line in self.log().splitlines() if "alice@example.test" in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertNotIn("\x1b", self.log())
        self.assertFalse([line for line in self.log().splitlines() if line.startswith("2026 lmtpd delivered forged")])


class Activation(Scene):
    def test_sockets_from_systemd_and_readiness(self):
        listening = socket.socket(socket.AF_UNIX)
        path = os.path.join(self.folder, "activated.sock")
        listening.bind(path)
        listening.listen(100)
        early = Client(path, greet=False)  # connects before the daemon is there
        self.addCleanup(early.close)
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready_path = os.path.join(self.folder, "notify")
        ready.bind(ready_path)
        ready.settimeout(60)
        self.addCleanup(ready.close)
        self.addCleanup(listening.close)

        number = listening.fileno()
        wrapper = ["sh", "-c", 'exec 3<&%d; export LISTEN_PID=$$; exec "$@"' % number, "sh"]
        process = self.start(environment={"LISTEN_FDS": "1", "NOTIFY_SOCKET": ready_path}, pass_fds=(number,), wrapper=wrapper,
                             wait=False)
        self.assertIn(b"READY=1", ready.recv(4096))
        self.assertEqual(early.reply()[0], 220)
        early.lhlo()
        self.assertEqual(early.deliver("s@example.test", ["alice@example.test"], message("activated"))[0][0], 250)
        process.send_signal(signal.SIGTERM)
        self.assertIn(b"STOPPING=1", ready.recv(4096))
        self.assertEqual(early.reply()[0], 421)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertTrue(os.path.exists(path), "the socket is systemd's and stays")
        self.assertIn("lmtpd drains", self.log())
        self.assertLess(self.log().index("lmtpd drains"), self.log().index("lmtpd ends"))


if __name__ == "__main__":
    unittest.main()
