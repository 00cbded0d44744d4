"""A private Postfix in a scratch folder: its own configuration, spool, data folder, log and loopback port."""
import os
import shutil
import smtplib
import socket
import subprocess
import tempfile

from support import free_ports, wait_until

MAIN = """\
compatibility_level = 3.6
queue_directory = {base}/spool
data_directory = {base}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = {base}/maillog
maillog_file_prefixes = {base}
myhostname = mx.example.test
mydestination =
local_recipient_maps =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.1
virtual_mailbox_domains = example.test
virtual_transport = lmtp:unix:{socket}
lmtp_send_xforward_command = yes
smtpd_recipient_restrictions = permit_mynetworks, reject
smtpd_banner = $myhostname ESMTP
queue_run_delay = 2s
minimal_backoff_time = 2s
maximal_backoff_time = 4s
multi_instance_name =
{extra}
"""

MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


class Postfix:
    def __init__(self, lmtp_socket, extra=""):
        self.base = tempfile.mkdtemp(prefix="lmtpd-pf.", dir="/tmp")
        os.chmod(self.base, 0o755)
        self.port = free_ports(1)
        self.config = os.path.join(self.base, "etc")
        for name in ("etc", "spool", "data"):
            os.mkdir(os.path.join(self.base, name))
        shutil.chown(os.path.join(self.base, "data"), "postfix", "postfix")
        with open(os.path.join(self.config, "main.cf"), "w") as f:
            f.write(MAIN.format(base=self.base, socket=lmtp_socket, extra=extra))
        with open(os.path.join(self.config, "master.cf"), "w") as f:
            f.write(MASTER.format(port=self.port))

    def _postfix(self, action):
        return subprocess.run(["postfix", "-c", self.config, action], capture_output=True, timeout=60, text=True)

    def start(self):
        done = self._postfix("start")
        if done.returncode != 0:
            raise AssertionError("postfix start: %s%s" % (done.stderr, self.log()))
        wait_until(self._accepts, 60, "Postfix's SMTP port")

    def _accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def stop(self):
        self._postfix("stop")
        shutil.rmtree(self.base, ignore_errors=True)

    def log(self):
        try:
            with open(os.path.join(self.base, "maillog"), encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def send(self, sender, recipients, octets, options=()):
        with smtplib.SMTP("127.0.0.1", self.port, timeout=60) as client:
            refused = client.sendmail(sender, recipients, octets, mail_options=list(options))
        if refused:
            raise AssertionError("Postfix refused %s" % refused)

    def queued(self):
        """Ids of the messages that wait."""
        listing = subprocess.run(["postqueue", "-c", self.config, "-j"], capture_output=True, timeout=60, text=True)
        return [line for line in listing.stdout.splitlines() if line]
