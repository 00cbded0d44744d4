"""The injecting processes: lmtp-load --smtp, each with one connection at a time, a message per connection, as smtp-source(1) does it."""
import collections
import json
import os
import resource
import subprocess


class Mail:
    """How much of what. recipients are used in turn."""

    def __init__(self, messages, sizes, recipients, processes=10):
        self.messages = messages
        self.sizes = sizes
        self.recipients = recipients
        self.processes = min(processes, messages)

    def shares(self):
        """Messages per process."""
        share, rest = divmod(self.messages, self.processes)
        return [share + (number < rest) for number in range(self.processes)]


def expected_labels(seed, shares):
    """What lmtp-load writes into the subjects: the processes' seeds are seed, seed + 1, …"""
    return {"m%d-%d" % (seed + process, number) for process, share in enumerate(shares) for number in range(share)}


def compare(expected, stored):
    """(lost, doubled): labels that are not there, and surplus copies. stored: label → copies, of other runs too."""
    return sum(label not in stored for label in expected), sum(stored[label] - 1 for label in expected if stored.get(label, 0) > 1)


def children_cpu():
    """Of the processes that ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Injection:
    """Runs from its construction; seeds of different injections must lie 1000 apart."""

    def __init__(self, programs, port, mail, seed):
        self.labels = expected_labels(seed, mail.shares())
        self.failures = []
        self._children_before = children_cpu()
        self.processes = []
        for number, share in enumerate(mail.shares()):
            turned = mail.recipients[number % len(mail.recipients):] + mail.recipients[:number % len(mail.recipients)]
            command = [os.path.join(programs, "lmtp-load"), "inet:127.0.0.1:%d" % port, "--smtp", "--sessions", "1", "--reuse", "1", "--quiet",
                       "--json", "--messages", str(share), "--seed", str(seed + number), "--min-size", str(mail.sizes[0]), "--max-size",
                       str(mail.sizes[1]), "--recipients", *turned]
            self.processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))

    def poll(self):
        """True when all have ended. Their outputs are short enough for the pipe."""
        return all(process.poll() is not None for process in self.processes)

    def finish(self):
        """Returns the CPU seconds of all of them. Raises RuntimeError if Postfix refused something."""
        replies = collections.Counter()
        for process in self.processes:
            out, _ = process.communicate()
            try:
                replies.update(json.loads(out)["replies"])
            except ValueError:
                replies["no report"] += 1
            if process.returncode != 0:
                self.failures.append(process.returncode)
        if self.failures:
            raise RuntimeError("Postfix did not take all mail: %s" % dict(replies))
        return children_cpu() - self._children_before

    def kill(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
