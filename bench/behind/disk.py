"""What a disk does meanwhile: writes and flushes of the device, and how long fsync and fdatasync take."""
import os
import shutil
import subprocess
import threading
import time

SYSCALLS = "/sys/kernel/tracing/events/syscalls"
TRACE = """
tracepoint:syscalls:sys_enter_fsync, tracepoint:syscalls:sys_enter_fdatasync { @begin[tid] = nsecs; }
tracepoint:syscalls:sys_exit_fsync, tracepoint:syscalls:sys_exit_fdatasync /@begin[tid]/ {
  printf("%d %d\\n", pid, (nsecs - @begin[tid]) / 1000); delete(@begin[tid]); }
END { clear(@begin); }
"""


class Disk:
    """Counters of the device below a folder; everything that writes to it counts, not only what is measured."""

    def __init__(self, folder, diskstats="/proc/diskstats"):
        device = os.stat(folder).st_dev
        self.numbers = [str(os.major(device)), str(os.minor(device))]
        self.diskstats = diskstats

    def counters(self):
        """(writes, flushes); None where the device (tmpfs, some stacked ones) or the kernel does not count."""
        with open(self.diskstats, encoding="utf-8") as f:
            for line in f:
                fields = line.split()
                if fields[:2] == self.numbers:
                    return int(fields[7]), int(fields[18]) if len(fields) > 18 else None
        return None, None


def parse_trace(text):
    """[(process id, microseconds)]"""
    return [(int(pid), int(us)) for pid, us in (line.split() for line in text.splitlines() if line and line[0].isdigit())]


class SyncTrace:
    """Every fsync and fdatasync of the machine, by bpftrace: start(), then end() → [(pid, µs)]. Needs root and the kernel's tracepoints
    (mount -t tracefs tracefs /sys/kernel/tracing)."""

    name = "traced"

    @staticmethod
    def possible():
        return os.geteuid() == 0 and bool(shutil.which("bpftrace")) and os.path.isdir(SYSCALLS)

    def __init__(self, folder):
        self.path = os.path.join(folder, "syncs.trace")

    def start(self):
        self.process = subprocess.Popen(["bpftrace", "-o", self.path, "-e", TRACE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        end = time.monotonic() + 20
        while time.monotonic() < end and self.process.poll() is None:
            if os.path.exists(self.path) and os.path.getsize(self.path):  # "Attaching … probes..."
                time.sleep(0.3)
                return
            time.sleep(0.05)
        self.process.kill()
        raise RuntimeError("bpftrace: " + self.process.communicate()[1].decode("utf-8", "replace").strip())

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=30)
        with open(self.path, encoding="utf-8") as f:
            found = parse_trace(f.read())
        os.unlink(self.path)
        return found


class SyncProbe:
    """Without bpftrace: a file of its own in the folder, 4 KB written and flushed four times a second. Counted under process id 0."""

    name = "probed"

    def __init__(self, folder):
        self.path = os.path.join(folder, "sync.probe")
        self.times = []
        self.stop = threading.Event()

    def start(self):
        self.thread = threading.Thread(target=self._probe, daemon=True)
        self.thread.start()

    def _probe(self):
        with open(self.path, "wb", buffering=0) as f:
            while not self.stop.wait(0.25):
                f.write(b"\0" * 4096)
                begin = time.monotonic()
                os.fsync(f)
                self.times.append((0, int(1e6 * (time.monotonic() - begin))))

    def end(self):
        self.stop.set()
        self.thread.join()
        os.unlink(self.path)
        return self.times


def start_watch(folder):
    """The trace where it is possible (a kernel may lack what bpftrace needs), else the probe; started."""
    if SyncTrace.possible():
        watch = SyncTrace(folder)
        try:
            watch.start()
            return watch
        except RuntimeError:
            pass
    watch = SyncProbe(folder)
    watch.start()
    return watch
