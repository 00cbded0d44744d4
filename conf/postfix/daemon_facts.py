"""What conf/postfix/instances and conf/doctor need to know of lmtpd.toml: socket, limits, store. Reads, never writes."""
import re
import tomllib
import urllib.parse

SIZE_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
TIME_UNITS = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}


def _quantity(value, units):
    if isinstance(value, (int, float)):
        return value
    number, unit = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", value).groups()
    return type(units[unit])(float(number) * units[unit])


class DaemonFacts:
    """Defaults as in conf/lmtpd.toml; problem is a sentence when the file could not be read."""

    def __init__(self, path):
        self.path = path
        self.problem = None
        self.tables = {}
        try:
            with open(path, "rb") as f:
                self.tables = tomllib.load(f)
        except (OSError, tomllib.TOMLDecodeError) as e:
            self.problem = "%s: %s" % (path, e)

    def get(self, table, key, default):
        return self.tables.get(table, {}).get(key, default)

    @property
    def sessions(self):
        return int(self.get("limits", "sessions", 1000))

    @property
    def recipients(self):
        return int(self.get("limits", "recipients", 1000))

    @property
    def message_size(self):
        return int(_quantity(self.get("limits", "message_size", "50MiB"), SIZE_UNITS))

    @property
    def taken(self):
        """Seconds after which an open outcome is answered 451."""
        return float(_quantity(self.get("timeouts", "taken", "5m"), TIME_UNITS))

    @property
    def backlog(self):
        return int(self.get("listen", "backlog", 4096))

    @property
    def detail_delimiters(self):
        return self.get("recipients", "detail_delimiters", "+")

    @property
    def table_prefix(self):
        return self.get("storage", "table_prefix", "dbmail_")

    @property
    def unix_sockets(self):
        return [address[5:] for address in self.get("listen", "lmtp", []) if address.startswith("unix:")]

    @property
    def store(self):
        """The store's URI in parts: engine, host (or socket folder or file), port, user, password, database."""
        uri = urllib.parse.urlsplit(self.get("storage", "uri", ""))
        unquote = lambda text: urllib.parse.unquote(text or "")
        query = {name: unquote(value) for name, _, value in (pair.partition("=") for pair in uri.query.split("&"))}
        password = unquote(uri.password)
        if not password and self.get("storage", "password_file", ""):
            with open(self.tables["storage"]["password_file"], encoding="utf-8") as f:
                password = f.readline().rstrip("\n")
        engine = {"postgresql": "pgsql", "postgres": "pgsql", "mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite"}.get(uri.scheme)
        return {"engine": engine, "host": query.get("host") or query.get("socket") or uri.hostname or "localhost",
                "port": query.get("port") or uri.port, "user": unquote(uri.username), "password": password,
                "database": unquote(uri.path) if engine == "sqlite" else unquote(uri.path).lstrip("/")}
