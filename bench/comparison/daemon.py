"""lmtpd on one store: configuration, schema and users, start, stop, and what its log says about batches."""
import os
import re
import shutil
import signal
import subprocess
import time

USERS = 20
BATCH = re.compile(r" batch=(\d+)")


def recipients(count):
    return [f"load{i}@example.org" for i in range(count)]


class Daemon:
    def __init__(self, programs, folder, uri, options=None):
        self.programs = programs
        self.folder = folder
        self.uri = uri
        self.process = None
        os.makedirs(folder, mode=0o755, exist_ok=True)
        self.config = f"{folder}/lmtpd.toml"
        self.log = f"{folder}/lmtpd.log"
        self.write_config(options or {})

    @property
    def address(self):
        return f"unix:{self.folder}/lmtp.sock"

    def write_config(self, options):
        """options: {"delivery": {"batch_messages": 1}}."""
        sections = {"storage": {"uri": self.uri}, "listen": {"lmtp": [self.address], "socket_mode": "0666"}, "server": {},
                    "log": {"destination": "file", "file": self.log}}
        if os.geteuid() == 0:
            sections["server"]["user"] = "nobody"
        for name, values in options.items():
            sections.setdefault(name, {}).update(values)
        with open(self.config, "w", encoding="utf-8") as file:
            for name, values in sections.items():
                file.write(f"[{name}]\n")
                for key, value in values.items():
                    file.write(f"{key} = {to_toml(value)}\n")

    def ctl(self, *arguments):
        done = subprocess.run([f"{self.programs}/lmtpctl", "--config", self.config, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"lmtpctl {' '.join(arguments)}: {done.stderr or done.stdout}")

    def create_store(self, index_set):
        self.ctl("schema", "create", "--indexes", index_set)
        for name in recipients(USERS):
            self.ctl("user", "add", name)

    def start(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
        if self.uri.startswith("sqlite:") and os.geteuid() == 0:
            folder = os.path.dirname(self.uri[len("sqlite://"):])
            shutil.chown(folder, "nobody")
            for name in os.listdir(folder):
                shutil.chown(f"{folder}/{name}", "nobody")
        with open(f"{self.folder}/stderr", "w", encoding="utf-8") as err:
            self.process = subprocess.Popen([f"{self.programs}/lmtpd", "--config", self.config], stdin=subprocess.DEVNULL, stdout=err,
                                            stderr=err)
        for _ in range(400):
            if os.path.exists(f"{self.folder}/lmtp.sock"):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.025)
        self.stop()
        with open(f"{self.folder}/stderr", encoding="utf-8", errors="replace") as file:
            raise RuntimeError("lmtpd did not start: " + file.read())

    def stop(self):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def log_position(self):
        return os.path.getsize(self.log) if os.path.exists(self.log) else 0

    def transactions_since(self, position, recipients_per_message):
        """(transactions that stored mail, deliveries in them): each delivery's line says how many shared its batch."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            file.seek(position)
            return count_transactions(file, recipients_per_message)


def count_transactions(lines, recipients_per_message):
    transactions = deliveries = 0.0
    for line in lines:
        found = BATCH.search(line)
        if found:
            transactions += 1 / int(found.group(1)) / recipients_per_message
            deliveries += 1 / recipients_per_message
    return transactions, deliveries


def to_toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(to_toml(x) for x in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else '"%s"' % value
