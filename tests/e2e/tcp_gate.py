"""A gate on the wire between lmtpd and a database server: refuse, cut, or swallow what is said around a COMMIT."""
import re
import select
import socket
import threading

# The command, not "READ COMMITTED", which stands in the BEGIN and in the start of a connection.
COMMIT = re.compile(rb"\bcommit\b", re.IGNORECASE)


class TcpGate:
    """Listens on a loopback port and forwards to (host, port). All switches may be used at any time from the test's thread."""

    def __init__(self, upstream):
        self.upstream = upstream
        self.listener = socket.socket(socket.AF_INET)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.listener.listen(64)
        self.lock = threading.Lock()
        self.pairs = set()
        self.is_open = True
        self.at_commit = None  # "cut_before": COMMIT does not arrive; "cut_after": it arrives, its answer does not. Used once.
        self.commits_hit = 0
        self.wait_for_commit = None  # with "cut_after": returns when the transaction is in the store
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def shut(self):
        """New connections are closed at once, existing ones cut."""
        with self.lock:
            self.is_open = False
        self.cut()

    def open(self):
        with self.lock:
            self.is_open = True

    def cut(self):
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        self.shut()
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if not self.is_open:
                client.close()
                continue
            try:
                server = socket.create_connection(self.upstream)
            except OSError:
                client.close()
                continue
            pair = (client, server)
            with self.lock:
                still_open = self.is_open
                if still_open:
                    self.pairs.add(pair)
            if not still_open:  # shut() did not see this pair
                client.close()
                server.close()
                continue
            threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, client, server):
        try:
            while True:
                readable, _, _ = select.select([client, server], [], [])
                for end in readable:
                    octets = end.recv(65536)
                    if not octets:
                        return
                    if end is server:
                        client.sendall(octets)
                    elif not self._pass_on(octets, server):
                        return
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.pairs.discard((client, server))
            client.close()
            server.close()

    def _pass_on(self, octets, server):
        """False: this connection shall be cut now."""
        with self.lock:
            action = self.at_commit if COMMIT.search(octets) else None
            if action:
                self.at_commit = None
                self.commits_hit += 1
        if action == "cut_before":
            return False
        server.sendall(octets)
        if action == "cut_after":
            self.wait_for_commit()  # what the server says first may answer a statement before the COMMIT
            return False
        return True
