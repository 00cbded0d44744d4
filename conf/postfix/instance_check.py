"""What `postfix check` does not say: parameters that do not exist, entries that override each other, services that are not there,
sockets that cannot be reached, session limits below the sum of concurrencies. Reads and connects; changes nothing."""
import concurrent.futures
import os
import re
import stat
import subprocess

# Read by the queue manager from main.cf: as -o of a delivery service they do nothing, and nobody says so.
SCHEDULER = re.compile(r"_(destination_(concurrency|recipient|rate)_\w+|initial_destination_concurrency|\w*delivery_slot\w*|"
                       r"(minimum|extra)_\w*recipient\w*)$|^(default_destination_|initial_destination_|qmgr_)")
# RFC 5321 §4.5.3.2; shorter ones produce retries and, at the end of data, second copies.
LEAST_SECONDS = {"mail_timeout": 300, "rcpt_timeout": 300, "data_init_timeout": 120, "data_xfer_timeout": 180, "data_done_timeout": 600}
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "": 1}


class Finding:
    def __init__(self, severity, instance, text, remedy):
        self.severity = severity  # "problem": mail is lost, held or refused; "remark"
        self.instance = instance
        self.text = text
        self.remedy = remedy


def show(findings):
    for f in findings:
        print("%-8s %s: %s\n         → %s" % (f.severity, f.instance, f.text, f.remedy))
    problems = sum(f.severity == "problem" for f in findings)
    print("%d problems, %d remarks" % (problems, len(findings) - problems))


def seconds(text):
    found = re.fullmatch(r"(\d+)([smhdw]?)", text.strip())
    return int(found.group(1)) * UNITS[found.group(2)] if found else 0


def listening_ports():
    """TCP ports of this machine that somebody listens at."""
    ports = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table) as f:
                rows = [line.split() for line in f.readlines()[1:]]
        except OSError:
            continue
        ports |= {int(row[1].rsplit(":", 1)[1], 16) for row in rows if row[3] == "0A"}
    return ports


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})


class Instance:
    """One configuration folder as Postfix itself reads it."""

    def __init__(self, name, config):
        self.name = name
        self.config = config
        listed = run("postconf", "-c", config, "-x")
        self.parameters = dict(line.split(" =", 1) for line in listed.stdout.splitlines() if " =" in line)
        self.warnings = listed.stderr.splitlines() + run("postconf", "-c", config, "-n").stderr.splitlines()
        services = run("postconf", "-c", config, "-M")
        self.warnings += services.stderr.splitlines()
        self.services = [line.split(None, 7) for line in services.stdout.splitlines()]
        self.overrides = [line.split(" =", 1) for line in run("postconf", "-c", config, "-P").stdout.splitlines()]

    def get(self, name, default=""):
        return self.parameters.get(name, default).strip()

    def number(self, name, default=0):
        try:
            return int(self.get(name) or default)
        except ValueError:
            return default

    def service(self, name, kind="unix"):
        return next((s for s in self.services if s[0] == name and s[1] == kind), None)

    def process_limit(self, name):
        service = self.service(name)
        if not service:
            return 0
        return self.number("default_process_limit", 100) if service[6] == "-" else int(service[6])

    def lmtp_sessions(self):
        """The most LMTP deliveries at once, as the queue manager and master(8) bound them."""
        processes = self.process_limit("lmtp")
        if "lmtp:" not in self.get("virtual_transport") + self.get("default_transport"):
            return processes  # probes only: no scheduler limit to rely on
        limit = self.number("lmtp_destination_concurrency_limit", 20)
        per_recipient = self.number("lmtp_destination_recipient_limit", 50) == 1
        bounds = [n for n in (processes, 0 if per_recipient else limit) if n > 0]
        return min(bounds) if bounds else 10**6


def check(plan):
    findings = []
    sessions = 0
    present = [name for name in plan.names if os.path.isdir(plan.config(name))]
    with concurrent.futures.ThreadPoolExecutor() as together:
        instances = list(together.map(lambda name: Instance(name, plan.config(name)), present))
        for found in together.map(lambda instance: own_checks(instance, plan), instances):
            findings += found
    for name in plan.names:
        if not os.path.isdir(plan.config(name)):
            findings.append(Finding("problem", name, "the instance is gone: no %s" % plan.config(name), "instances create"))
    for instance in instances:
        for rule in (warnings, override_names, transports, back_off, timeouts):
            findings += rule(instance, plan)
        sessions += instance.lmtp_sessions()
    findings += daemon_limits(instances, sessions, plan)
    findings += reachable(instances, plan)
    findings += ports(instances)
    if plan.balanced:
        findings += haproxy(plan)
    if plan.on_host:
        findings += registration(plan)
    return sorted(findings, key=lambda f: f.severity)


def own_checks(instance, plan):
    done = run("postfix", "-c", instance.config, "check")
    if done.returncode == 0 and not done.stderr.strip():
        return []
    text = " ".join((done.stdout + done.stderr).split()) or "exit status %d; its log says why" % done.returncode
    return [Finding("problem" if done.returncode else "remark", instance.name, "postfix check: " + text, "instances create")]


def warnings(instance, plan):
    """postconf's own words: the only tool of Postfix that notices parameters that nothing reads."""
    findings = []
    for line in dict.fromkeys(instance.warnings):
        if "overriding earlier entry" in line:
            text, remedy = line, "keep one of the two lines in %s" % os.path.join(instance.config, "local.cf")
        elif "unused parameter" in line:
            text, remedy = "unknown parameter, nothing reads it: " + line.split("unused parameter:")[-1].strip(), "delete the line, or mend its spelling"
        else:
            text, remedy = line, "see postconf(5)"
        findings.append(Finding("problem", instance.name, text.replace("/usr/sbin/postconf: ", ""), remedy))
    return findings


def override_names(instance, plan):
    """-o lines of master.cf: Postfix takes any name there without a word."""
    known = {line.split(" =", 1)[0] for line in run("postconf", "-d").stdout.splitlines()} | set(instance.parameters)
    findings = []
    for key, _ in instance.overrides:
        service, _, name = key.rpartition("/")
        if SCHEDULER.search(name):
            findings.append(Finding("problem", instance.name, "-o %s at service %s has no effect: the queue manager reads it from main.cf" % (name, service),
                                    "set %s_… in local.cf" % service.split("/")[0]))
        elif name not in known:
            findings.append(Finding("problem", instance.name, "-o %s at service %s: unknown parameter" % (name, service), "delete it, or mend its spelling"))
    return findings


def transports(instance, plan):
    """A transport that master.cf does not have: all its mail is deferred, and `postfix check` says nothing."""
    findings = []
    for name in ("default_transport", "virtual_transport", "relay_transport", "local_transport", "transport_maps",
                 "address_verify_virtual_transport", "address_verify_default_transport"):
        value = instance.get(name)
        used = re.findall(r"\b(\w[\w-]*):\[", value) if name == "transport_maps" else [value.split(":", 1)[0]]
        if name.startswith("address_verify") and plan.options["verify"] != "daemon":
            continue
        for transport in sorted(set(used) - {""}):
            # local_transport etc. of classes without a domain are never used.
            unused = name == "relay_transport" and not instance.get("relay_domains")
            if not instance.service(transport) and not unused:
                findings.append(Finding("problem", instance.name, "%s names the service %s, which master.cf does not have" % (name, transport),
                                        "its mail would be deferred: add the service or change the name"))
    return findings


def back_off(instance, plan):
    if seconds(instance.get("queue_run_delay")) <= seconds(instance.get("minimal_backoff_time")):
        return []
    return [Finding("remark", instance.name, "queue_run_delay is above minimal_backoff_time: retries come later than said", "postconf(5), queue_run_delay")]


def timeouts(instance, plan):
    findings = []
    for client in ("lmtp", "smtp"):
        for name, least in LEAST_SECONDS.items():
            value = seconds(instance.get("%s_%s" % (client, name)))
            if 0 < value < least:
                findings.append(Finding("problem", instance.name, "%s_%s = %d s is below RFC 5321's %d s: retries, and second copies at other people's servers"
                                        % (client, name, value, least), "delete the line"))
    done = seconds(instance.get("lmtp_data_done_timeout"))
    if done and done <= plan.facts.taken:
        findings.append(Finding("problem", instance.name, "lmtp_data_done_timeout = %d s is not above lmtpd's timeouts.taken = %d s" % (done, plan.facts.taken),
                                "delete the line, or lower timeouts.taken in lmtpd.toml"))
    return findings


def daemon_limits(instances, sessions, plan):
    findings = []
    if plan.facts.problem:
        findings.append(Finding("remark", "lmtpd", plan.facts.problem, "create --lmtpd-config FILE"))
    if sessions > plan.sessions:
        findings.append(Finding("problem", "lmtpd", "the instances may open %d LMTP sessions at once, lmtpd allows %d: the rest gets 421 and is deferred"
                                % (sessions, plan.sessions), "raise limits.sessions in lmtpd.toml, or instances create again"))
    elif 2 * sessions > plan.sessions + 10:
        findings.append(Finding("remark", "lmtpd", "%d LMTP sessions of %d allowed: idle cached sessions (2 s) come on top" % (sessions, plan.sessions),
                                "raise limits.sessions in lmtpd.toml"))
    if not plan.facts.problem:
        backlog = min(plan.facts.backlog, somaxconn())
        if backlog < sessions:
            findings.append(Finding("problem", "lmtpd", "the listen backlog is %d, below %d sessions: Postfix gets EAGAIN at once on a full one" % (backlog, sessions),
                                    "conf/sysctl/90-lmtpd.conf (net.core.somaxconn), listen.backlog in lmtpd.toml"))
        for instance in instances:
            if instance.number("message_size_limit") > plan.facts.message_size:
                findings.append(Finding("problem", instance.name, "message_size_limit is above lmtpd's limits.message_size: such mail is accepted and bounces",
                                        "instances create, or lower it in local.cf"))
            if instance.number("lmtp_destination_recipient_limit") > plan.facts.recipients:
                findings.append(Finding("problem", instance.name, "lmtp_destination_recipient_limit is above lmtpd's limits.recipients", "instances create"))
    return findings


def somaxconn():
    try:
        with open("/proc/sys/net/core/somaxconn") as f:
            return int(f.read())
    except OSError:
        return 4096


def lmtp_paths(instance):
    """(path as the lmtp service sees it, chrooted?) for each lmtp:unix: next hop."""
    values = " ".join(instance.get(name) for name in ("virtual_transport", "default_transport", "transport_maps", "address_verify_virtual_transport"))
    service = instance.service("lmtp")
    chrooted = bool(service) and service[4] == "y"
    queue = instance.get("queue_directory")
    for path in dict.fromkeys(re.findall(r"lmtp:unix:([^\s,}]+)", values)):
        seen = os.path.join(queue, path.lstrip("/")) if chrooted or not path.startswith("/") else path
        yield path, seen, chrooted


def reachable(instances, plan):
    findings = []
    for instance in instances:
        for path, seen, chrooted in lmtp_paths(instance):
            problem = connection_problem(seen, instance.get("mail_owner") or "postfix")
            if problem:
                where = " (the lmtp service is chrooted: it sees %s)" % seen if chrooted and seen != path else ""
                findings.append(Finding("problem", instance.name, "%s: %s%s" % (path, problem, where),
                                        "start lmtpd; socket 0660 and group postfix, folder 0755: conf/systemd/lmtpd.socket; chroot column n in master.cf"))
    return findings


def connection_problem(path, user):
    """Connects as Postfix's user in a process of its own; None if a greeting comes."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return "is no socket"
    except OSError as e:
        return e.strerror
    code = ("import socket,sys\ns=socket.socket(socket.AF_UNIX);s.settimeout(10)\n"
            "try:\n s.connect(sys.argv[1]);g=s.recv(512);s.sendall(b'QUIT\\r\\n');s.recv(512)\n"
            "except OSError as e: sys.exit('cannot be reached as user %s: %%s' %% (e.strerror or e))\n"
            "sys.exit(0 if g[:3]==b'220' else 'the greeting is %%r' %% g)" % user)
    become = {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}
    done = subprocess.run(["/usr/bin/python3", "-c", code, path], capture_output=True, text=True, cwd="/", **become)
    return done.stderr.strip().splitlines()[-1] if done.returncode else None


def ports(instances):
    findings, taken = [], {}
    for instance in instances:
        for service in instance.services:
            if service[1] != "inet":
                continue
            port = service[0].rpartition(":")[2]
            if port in taken:
                findings.append(Finding("problem", instance.name, "port %s is also used by %s" % (port, taken[port]), "create --base-port or --listen"))
            taken[port] = instance.name
    return findings


def haproxy(plan):
    done = run("haproxy", "-c", "-q", "-f", plan.haproxy_config)
    if done.returncode == 0:
        return []
    return [Finding("problem", "haproxy", " ".join((done.stdout + done.stderr).split()), "instances create")]


def registration(plan):
    listed = {line.split()[0]: line.split() for line in run("postmulti", "-l").stdout.splitlines() if line.strip()}
    findings = []
    for name in plan.names:
        if name not in listed:
            findings.append(Finding("problem", name, "postmulti does not know the instance: it is not started at boot", "instances create"))
        elif listed[name][2] != "y":
            findings.append(Finding("problem", name, "the instance is disabled: it is not started at boot", "postmulti -i %s -e enable" % name))
    return findings
