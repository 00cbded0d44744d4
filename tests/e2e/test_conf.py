"""The files in conf/: programs that read them accept them, conf/doctor finds what is unsafe, the README names what is there."""
import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from instances import Instances
from support import Scene, on_each_engine

CONF = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../conf"))
sys.dont_write_bytecode = True


def doctor_module():
    loader = importlib.machinery.SourceFileLoader("doctor", os.path.join(CONF, "doctor"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("doctor", loader))
    loader.exec_module(module)
    return module


def settings_in(path):
    """Keys of key = value lines."""
    with open(path) as f:
        return dict(re.findall(r"(?m)^([\w.]+) = (.+)$", f.read()))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lmtpd-conf.", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, True)

    def test_systemd_accepts_the_units_and_finds_them_closed(self):
        for name in ("lmtpd.service", "lmtpd.socket", "lmtpd-haproxy.service"):
            with open(os.path.join(CONF, "systemd", name)) as f:
                text = f.read().replace("/usr/sbin/lmtpd", "/bin/true")
            with open(os.path.join(self.folder, name), "w") as f:
                f.write(text)
        units = sorted(glob.glob(self.folder + "/*"))
        done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60)
        self.assertEqual([line for line in done.stderr.splitlines() if self.folder in line or "lmtpd" in line], [])
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=20", os.path.join(self.folder, "lmtpd.service")],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout[-300:])

    def test_postgresql_knows_every_setting(self):
        path = os.path.join(CONF, "postgresql/lmtpd.conf")
        shutil.copy(path, os.path.join(self.folder, "postgresql.conf"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            shutil.chown(os.path.join(self.folder, "postgresql.conf"), "postgres")
        as_postgres = ["setpriv", "--reuid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        server = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))[-1]
        settings = settings_in(path)
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            self.assertEqual(settings[name], "on")
        for name in settings:  # an unknown name anywhere in the file is an error for each
            done = subprocess.run([*as_postgres, server, "-C", name, "-D", self.folder], capture_output=True, text=True, timeout=60, cwd="/")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_mariadb_knows_every_setting(self):
        path = os.path.join(CONF, "mysql/lmtpd.cnf")
        done = subprocess.run(["mariadbd", "--defaults-file=" + path, "--verbose", "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        unknown = [line for line in done.stderr.splitlines() if "unknown" in line and "loose_innodb_redo_log_capacity" not in line]
        self.assertEqual(unknown, [])
        shown = dict(re.findall(r"(?m)^([\w-]+) +(\S+)$", done.stdout))
        self.assertEqual((shown["innodb-flush-log-at-trx-commit"], shown["innodb-doublewrite"], shown["sync-binlog"]), ("1", "TRUE", "1"))

    def test_the_kernel_knows_every_sysctl(self):
        for path in glob.glob(os.path.join(CONF, "sysctl/*.conf")):
            for name in settings_in(path):
                self.assertTrue(os.path.exists("/proc/sys/" + name.replace(".", "/")), name)

    def test_nothing_dangerous_is_set_anywhere(self):
        dangerous = re.compile(r"^\s*(fsync|synchronous_commit|full_page_writes|innodb_doublewrite)\s*=\s*(off|0)|"
                               r"^\s*innodb_flush_log_at_trx_commit\s*=\s*[02]|^\s*(UUID|/dev)\S*.*(barrier=0|nobarrier|data=writeback)", re.I | re.M)
        for folder, _, files in os.walk(CONF):
            for name in files:
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    self.assertIsNone(dangerous.search(f.read()), name)

    def test_the_readme_names_every_file_and_no_other(self):
        with open(os.path.join(CONF, "README.md")) as f:
            table = [line.split("|")[1] for line in f if line.startswith("| `")]
        named = set(re.findall(r"`([^`]+)`", " ".join(table)))
        for name in named:
            self.assertTrue(os.path.exists(os.path.join(CONF, name)), name)
        parts_of_a_program = {"README.md", "postfix/plan.py", "postfix/daemon_facts.py", "postfix/instance_check.py", "flush_trace.py"}
        there = {os.path.relpath(os.path.join(folder, name), CONF) for folder, _, files in os.walk(CONF) for name in files if not name.endswith(".pyc")}
        self.assertEqual({name for name in there if not any(name.startswith(n) for n in named)}, parts_of_a_program)


class DoctorRules(unittest.TestCase):
    doctor = doctor_module()

    def worst(self, findings):
        return [f.text.split(":")[0] for f in findings if f.severity == "unsafe"]

    def test_postgresql(self):
        good = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "server_encoding": "UTF8", "max_wal_size": "4GB",
                "shared_buffers": "1GB"}
        self.assertEqual(self.doctor.postgresql_findings(good), [])
        for name in ("fsync", "full_page_writes", "synchronous_commit"):
            self.assertEqual(self.worst(self.doctor.postgresql_findings({**good, name: "off"})), [name + " = off"])
        self.assertEqual(self.worst(self.doctor.postgresql_findings({**good, "synchronous_commit": "local"})), [])

    def test_mysql(self):
        good = {"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON", "log_bin": "OFF", "sync_binlog": "0",
                "max_allowed_packet": str(64 << 20), "innodb_buffer_pool_size": str(1 << 30)}
        self.assertEqual(self.doctor.mysql_findings(good), [])
        for value in ("0", "2"):
            self.assertEqual(len(self.worst(self.doctor.mysql_findings({**good, "innodb_flush_log_at_trx_commit": value}))), 1)
        self.assertEqual(len(self.worst(self.doctor.mysql_findings({**good, "innodb_doublewrite": "OFF"}))), 1)
        small = self.doctor.mysql_findings({**good, "max_allowed_packet": "1048576"})
        self.assertEqual([f.severity for f in small], ["broken"])

    def test_mounts(self):
        with tempfile.TemporaryDirectory() as proc:
            os.mkdir(os.path.join(proc, "self"))

            def of(kind, options):
                with open(os.path.join(proc, "self/mountinfo"), "w") as f:
                    f.write("1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/a rw\n2 1 8:2 / /var/spool rw,relatime - %s /dev/b %s\n" % (kind, options))
                return self.worst(self.doctor.mount_findings(proc, [("queue", "/var/spool/postfix-in")]))

            self.assertEqual(of("ext4", "rw"), [])
            self.assertEqual(of("ext4", "rw,barrier=0"), ["barrier=0"])
            self.assertEqual(of("xfs", "rw,nobarrier"), ["nobarrier"])
            self.assertEqual(of("ext4", "rw,data=writeback"), ["data=writeback"])
            self.assertEqual(of("tmpfs", "rw"), ["is in memory"])
            self.assertEqual(len(of("nfs4", "rw")), 1)

    def test_a_trace_is_read_per_command(self):
        trace = """# tracer: nop
        postgres-117     [001] .....  100.000000: sys_fdatasync(fd: 9)
  odd - name-118     [000] .....  100.001000: sys_fsync(fd: 3)
        postgres-117     [001] .....  100.002500: sys_fdatasync -> 0x0
        postgres-119     [001] .....  100.003000: sys_fsync -> 0x0
  odd - name-118     [000] .....  100.005000: sys_fsync -> 0x0
        postgres-117     [001] .....  100.006000: sys_fdatasync(fd: 9)
        postgres-117     [000] .....  100.006500: sys_fdatasync -> 0x0
"""
        took = self.doctor.flush_trace.flushes_in(trace)
        self.assertEqual(self.doctor.flush_trace.summary(took), ["odd - name 1 times, 4.00 ms on average, at worst 4.00 ms",
                                                                 "postgres 2 times, 1.50 ms on average, at worst 2.50 ms"])

    def test_why_there_is_no_trace_is_said(self):
        with tempfile.TemporaryDirectory() as tracefs:
            found = self.doctor.trace_findings(1, tracefs)
            self.assertEqual([f.severity for f in found], ["note"])
            self.assertIn("mount -t tracefs" if os.geteuid() == 0 else "only root", found[0].text)
            os.makedirs(os.path.join(tracefs, "events/syscalls/sys_enter_fsync"))  # … and no instances
            self.assertIn("the kernel does not let us trace", self.doctor.trace_findings(1, tracefs)[0].text)


@on_each_engine
class Doctor(Scene):
    def examine(self, *arguments, expect=0):
        done = subprocess.run([os.path.join(CONF, "doctor"), "--config", self.config_path, "--json", *arguments], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def proc_without_memory_file_systems(self):
        """Wherever the tests run, even on tmpfs: a machine whose one file system is ext4."""
        os.makedirs(os.path.join(self.folder, "proc/self"))
        with open(os.path.join(self.folder, "proc/self/mountinfo"), "w") as f:
            f.write("1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/a rw\n")
        return "--proc", os.path.join(self.folder, "proc")

    def test_a_good_set_up_is_called_good_and_a_dangerous_one_unsafe(self):
        self.start()
        instances = Instances(self)
        instances.create("--outbound", "1")
        proc = self.proc_without_memory_file_systems()
        before = sorted(os.listdir(self.folder))
        found = self.examine("--root", instances.root, *proc)
        self.assertEqual(sorted(os.listdir(self.folder)), before, "the probe leaves nothing")
        severities = [f["severity"] for f in found]
        order = ["unsafe", "broken", "slow", "note", "good"]
        self.assertEqual(severities, sorted(severities, key=order.index))
        self.assertNotIn("broken", severities, found)
        texts = [f["text"] for f in found]
        for expected in ("a flush in %s" % os.path.join(instances.root, "var/spool/postfix-in"), "Postfix's user is greeted", "2 instances run",
                         "takes 4096 waiting connections"):
            self.assertTrue([t for t in texts if expected in t], (expected, texts))
        for f in found:
            self.assertTrue(not f["file"] or os.path.exists(os.path.join(CONF, f["file"])), f["file"])

        with open(os.path.join(self.folder, "proc/self/mountinfo"), "w") as f:
            f.write("1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/a rw,barrier=0\n")
        self.assertEqual(self.examine("--root", instances.root, "--no-probe", *proc, expect=1)[0]["file"], "fstab/README.md")

    def test_a_store_that_does_not_flush_is_unsafe(self):
        if self.engine == "sqlite":
            self.assertIn("FULL", [f["text"] for f in self.examine("--no-probe", *self.proc_without_memory_file_systems()) if f["subject"] == "SQLite"][0])
        elif self.engine == "postgresql":
            self.store.sql("alter database %s set synchronous_commit = off" % self.store.name)
            self.assertEqual(self.examine("--no-probe", *self.proc_without_memory_file_systems(), expect=1)[0]["file"], "postgresql/lmtpd.conf")
        else:
            # DoctorRules has the dangerous values: they hold for the whole server, which other tests use. Here: what the server says is read.
            found = self.examine("--no-probe", *self.proc_without_memory_file_systems())
            self.assertTrue([f for f in found if f["subject"] == "MySQL" and "flushes before it acknowledges" in f["text"]], found)

    def test_a_database_that_is_not_there_is_named_without_its_password(self):
        if self.engine == "sqlite":
            self.write_config(uri="sqlite:///nonexistent/store.db")
            found = self.examine("--no-probe", *self.proc_without_memory_file_systems())
            self.assertEqual([f["subject"] for f in found if f["severity"] == "broken" and "there is no store" in f["text"]], ["SQLite"])
            return
        self.write_config(uri="%s://u:geheim@127.0.0.1:1/nothing" % self.engine)
        found = self.examine("--no-probe", *self.proc_without_memory_file_systems())
        self.assertTrue([f for f in found if f["severity"] == "broken" and "cannot be reached" in f["text"]], found)
        self.assertNotIn("geheim", json.dumps(found))
        self.write_config()


class DoctorTrace(Scene):
    """Both worlds: a kernel that lets us trace, and one that does not. In a mount namespace of its own, so that nothing stays mounted."""

    tracefs = "/sys/kernel/tracing"

    def in_a_namespace(self, *command, timeout=120):
        alone = ["unshare", "--mount"]
        if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            return subprocess.run(command, capture_output=True, text=True, timeout=timeout)  # no right to mount anything either
        mount = 'test -e %s/events || mount -t tracefs tracefs %s 2>/dev/null; exec "$@"' % (self.tracefs, self.tracefs)
        return subprocess.run([*alone, "sh", "-c", mount, "sh", *command], capture_output=True, text=True, timeout=timeout)

    def kernel_allows(self):
        made = os.path.join(self.tracefs, "instances/lmtpd-test-%d" % os.getpid())
        use = "echo 1 > events/syscalls/sys_enter_fsync/enable && echo 1 > events/syscalls/sys_enter_fdatasync/enable && cat trace"
        attempt = "mkdir %s && { (cd %s && %s); status=$?; rmdir %s; exit $status; }" % (made, made, use, made)
        return self.in_a_namespace("sh", "-c", attempt).returncode == 0

    def test_the_trace_sees_flushes_or_says_why_not_and_the_probe_goes_on(self):
        allowed = self.kernel_allows()
        flushing = subprocess.Popen(["sh", "-c", "while :; do dd if=/dev/zero of=flushed bs=4k count=1 conv=fsync 2>/dev/null; done"], cwd=self.folder)
        try:
            done = self.in_a_namespace(os.path.join(CONF, "doctor"), "--config", self.config_path, "--root", self.folder, "--json", "--trace", "2")
        finally:
            flushing.kill()
            flushing.wait()
        self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: the tests' folder is in memory, say
        found = json.loads(done.stdout)
        traced = [f["text"] for f in found if f["subject"] == "tracing"]
        print("the kernel %s: %s" % ("lets us trace" if allowed else "does not let us trace", traced))
        self.assertEqual(len(traced), 1)
        self.assertRegex(traced[0], r"\bdd \d+ times" if allowed else "^flushes were not watched: (only root may|the kernel)")
        self.assertTrue([f for f in found if "a flush in " + self.folder in f["text"] or self.folder + " cannot be probed" in f["text"]], found)
        left = self.in_a_namespace("sh", "-c", "ls %s/instances 2>/dev/null | grep lmtpd-" % self.tracefs).stdout
        self.assertEqual(left, "")


if __name__ == "__main__":
    unittest.main()
