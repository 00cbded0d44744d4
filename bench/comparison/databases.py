"""Private database servers with given settings, and SQL on any server through its own command line client."""
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import time
import urllib.parse

PASSWORD = "lmtpd"


def find_program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    path = found[-1] if found else shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not path:
        raise RuntimeError(f"{name} is not installed")
    return path


def as_user(user):
    """The prefix of a command that shall not run as root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]


def own_folder(path, user):
    os.makedirs(path, mode=0o755, exist_ok=True)
    if os.geteuid() == 0:
        shutil.chown(path, user, user)


def wait_for(check, process, log):
    for _ in range(600):
        if check():
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    with open(log, encoding="utf-8", errors="replace") as file:
        raise RuntimeError("a database server did not start:\n" + file.read()[-2000:])


class Server:
    """A database server: its engine, the settings' name, the process (None: not ours), and SQL as its owner."""

    engine = ""
    label = ""  # "PostgreSQL", "MariaDB", "MySQL"

    def __init__(self, settings, process=None):
        self.settings = settings
        self.process = process

    @property
    def pid(self):
        return self.process.pid if self.process else None

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT if self.engine == "postgresql" else signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)


class PostgreSQL(Server):
    engine = "postgresql"
    label = "PostgreSQL"

    def __init__(self, uri, settings, process=None):
        super().__init__(settings, process)
        self.uri = uri

    @classmethod
    def start(cls, folder, settings, conf):
        own_folder(folder, "postgres")
        data, log = f"{folder}/data", f"{folder}/log"
        with open(f"{folder}/password", "w", encoding="ascii") as file:
            file.write(PASSWORD + "\n")
        os.chmod(f"{folder}/password", 0o644)
        subprocess.run(as_user("postgres") + [find_program("initdb"), "-D", data, "-U", "lmtpd", f"--pwfile={folder}/password",
                                              "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
                       check=True, stdout=subprocess.DEVNULL)
        with open(f"{data}/postgresql.conf", "a", encoding="utf-8") as file:
            file.write("listen_addresses = ''\nunix_socket_directories = '%s'\nmax_connections = 60\n" % folder)
            if conf:
                with open(conf, encoding="utf-8") as tuned:
                    file.write(tuned.read())
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(as_user("postgres") + [find_program("postgres"), "-D", data], stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=out, start_new_session=True)
        uri = f"postgresql://lmtpd:{PASSWORD}@/postgres?host={folder}"
        server = cls(uri, settings, process)
        try:
            wait_for(lambda: subprocess.run([find_program("psql"), "-qAtc", "SELECT 1", uri], capture_output=True, check=False).returncode == 0,
                     process, log)
            server.age()
        except BaseException:
            server.stop()
            raise
        return server

    def age(self):
        """Like a server that has run for a while: checkpoints have left WAL files for use again (as many as min_wal_size says). A fresh
        cluster fills a new one with zeros, 16 MB, inside a COMMIT, more than once a second here."""
        self.sql("SELECT count(pg_logical_emit_message(false, 'age', repeat('x', 1000000))) FROM generate_series(1, 1000); CHECKPOINT;"
                 "SELECT pg_switch_wal(); CHECKPOINT;")

    def sql(self, text, database=None):
        uri = self.database_uri(database) if database else self.uri
        done = subprocess.run([find_program("psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-f", "-", uri], input=text,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr.strip()}")
        return done.stdout.strip()

    def database_uri(self, database):
        parts = urllib.parse.urlsplit(self.uri)
        return urllib.parse.urlunsplit(parts._replace(path="/" + database))

    def create_database(self, name):
        self.sql(f"DROP DATABASE IF EXISTS {name}")
        self.sql(f"CREATE DATABASE {name}")

    def drop_database(self, name):
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def log_octets(self):
        return int(self.sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"))

    def after_preload(self, database):
        self.sql("VACUUM ANALYZE; CHECKPOINT;", database)

    def version(self):
        return "PostgreSQL " + self.sql("SHOW server_version").split()[0]

    def show_settings(self):
        names = ("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers", "max_wal_size", "min_wal_size", "commit_delay", "jit")
        return {name: self.sql(f"SHOW {name}") for name in names}

    def durable(self):
        if self.sql("SHOW fsync") != "on":
            return "no: fsync=off"
        commit = self.sql("SHOW synchronous_commit")
        return "yes (synchronous_commit=on)" if commit in ("on", "remote_apply") else f"not at a crash: synchronous_commit={commit}"

    def relax(self, database):
        """The durability experiment's weaker setting; returns the words for its rows."""
        self.sql(f"ALTER DATABASE {database} SET synchronous_commit = off")
        return "not at a crash: synchronous_commit=off"


class MySQL(Server):
    engine = "mysql"
    label = "MySQL"

    def __init__(self, uri, settings, process=None):
        super().__init__(settings, process)
        self.uri = uri
        if "MariaDB" in self.sql("SELECT VERSION()"):
            self.label = "MariaDB"

    @classmethod
    def start(cls, folder, settings, conf):
        own_folder(folder, "mysql")
        data, log = f"{folder}/data", f"{folder}/log"
        with open(log, "w", encoding="utf-8") as out:
            subprocess.run(as_user("mysql") + [find_program("mariadb-install-db"), "--no-defaults", f"--datadir={data}", "--skip-test-db",
                                               "--auth-root-authentication-method=normal"], check=True, stdout=out, stderr=out)
            if conf:
                shutil.copy(conf, f"{folder}/my.cnf")
                os.chmod(f"{folder}/my.cnf", 0o644)
            first = f"--defaults-file={folder}/my.cnf" if conf else "--no-defaults"
            process = subprocess.Popen(as_user("mysql") + [find_program("mariadbd"), first, f"--datadir={data}", f"--socket={folder}/s",
                                                           "--skip-networking", f"--pid-file={folder}/pid"],
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        client = [find_program("mariadb"), "--no-defaults", "-S", f"{folder}/s", "-u", "root"]
        create = (f"CREATE USER IF NOT EXISTS lmtpd@localhost IDENTIFIED BY '{PASSWORD}'; GRANT ALL ON *.* TO lmtpd@localhost;")
        try:
            wait_for(lambda: subprocess.run(client + ["-e", create], capture_output=True, check=False).returncode == 0, process, log)
            return cls(f"mysql://lmtpd:{PASSWORD}@localhost/mysql?socket={folder}/s", settings, process)
        except BaseException:
            process.kill()
            process.wait()
            raise

    def sql(self, text, database=None):
        parts = urllib.parse.urlsplit(self.uri)
        query = dict(urllib.parse.parse_qsl(parts.query))
        command = [find_program("mariadb"), "--no-defaults", "-BN", "-u", urllib.parse.unquote(parts.username or "")]
        if "socket" in query:
            command += ["-S", query["socket"]]
        elif parts.hostname:
            command += ["-h", parts.hostname, "-P", str(parts.port or 3306)]
        if database:
            command += ["-D", database]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False,
                              env={**os.environ, "MYSQL_PWD": urllib.parse.unquote(parts.password or "")})
        if done.returncode != 0:
            raise RuntimeError(f"mariadb: {done.stderr.strip()}")
        return done.stdout.strip()

    def database_uri(self, database):
        return urllib.parse.urlunsplit(urllib.parse.urlsplit(self.uri)._replace(path="/" + database))

    def create_database(self, name):
        self.sql(f"DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")

    def drop_database(self, name):
        self.sql(f"DROP DATABASE IF EXISTS {name}")

    def log_octets(self):
        return int(self.sql("SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'").split()[1])

    def after_preload(self, database):
        tables = self.sql("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'", database).splitlines()
        self.sql("ANALYZE TABLE " + ", ".join(line.split("\t")[0] for line in tables), database)

    def _variables(self):
        rows = self.sql("SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'innodb_doublewrite', 'sync_binlog', "
                        "'log_bin', 'innodb_buffer_pool_size', 'innodb_log_file_size', 'innodb_redo_log_capacity', 'innodb_flush_method', "
                        "'max_allowed_packet')")
        return dict(line.split("\t") for line in rows.splitlines())

    def version(self):
        return f"{self.label} " + self.sql("SELECT VERSION()").split("-")[0]

    def show_settings(self):
        return self._variables()

    def durable(self):
        flush = self._variables()["innodb_flush_log_at_trx_commit"]
        words = f"innodb_flush_log_at_trx_commit={flush}"
        return f"yes ({words})" if flush == "1" else f"not at a crash: {words}"

    def relax(self, database):
        del database
        self.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
        return "not at a crash of the machine: innodb_flush_log_at_trx_commit=2"

    def tighten(self):
        self.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1")


class SQLite(Server):
    """No server: a file in a folder; SQL by Python's own library."""

    engine = "sqlite"
    label = "SQLite"

    def __init__(self, folder, settings):
        super().__init__(settings)
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def _connect(self, database):
        import sqlite3  # pylint: disable=import-outside-toplevel

        return sqlite3.connect(f"{self.folder}/{database}.db", timeout=30)

    def sql(self, text, database=None):
        with contextlib.closing(self._connect(database)) as connection:
            connection.executescript(text)
        return ""

    def database_uri(self, database):
        return f"sqlite://{self.folder}/{database}.db"

    def create_database(self, name):
        self.drop_database(name)

    def drop_database(self, name):
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"{self.folder}/{name}.db{suffix}")

    def log_octets(self):
        return None

    def after_preload(self, database):
        self.sql("ANALYZE;", database)

    def version(self):
        import sqlite3  # pylint: disable=import-outside-toplevel

        return "SQLite " + sqlite3.sqlite_version

    def show_settings(self):
        return {"journal_mode": "WAL", "synchronous": "FULL"}

    def durable(self):
        return "yes (WAL, synchronous=FULL)"

    def relax(self, database):
        del database
        return "yes, also against a lost directory entry (synchronous=EXTRA)"
