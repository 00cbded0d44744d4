#!/bin/bash
# tests/support/mysql9/recipe.sh: a private MySQL 9 from Debian's unstable packages in an isolated root below $MYSQL9_BASE (about 1.7 GB,
# a minute the first time; a finished step is skipped). Needs root, debootstrap and a Debian mirror; installs nothing outside that folder.
# start.sh and stop.sh run it: unix socket $MYSQL9_BASE/run/mysqld.sock (root, no password), 127.0.0.1:${MYSQL9_PORT:-53307} (u, pw, database t).
set -eu
export MYSQL9_BASE=${MYSQL9_BASE:?set MYSQL9_BASE to a scratch folder}; B=$MYSQL9_BASE; R=$B/root; S=$B/run; SELF=$(dirname "$(readlink -f "$0")")
command -v debootstrap >/dev/null || { echo "recipe.sh: please install debootstrap (apt-get install debootstrap)" >&2; exit 1; }
MIRROR=$(awk '$1=="URIs:"{print $2; exit} $1=="deb"{print $2; exit}' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null)
# MIRROR: the machine's own
t() { date +%s.%N; }
T0=$(t); step() { T1=$(t); printf '%7.1f s  %s\n' "$(echo "$T1 - $T0" | bc)" "$1"; T0=$T1; }
[ -x /usr/bin/bc ] || step() { echo "$(date +%T) $1"; }
mkdir -p "$B" "$S"
if [ ! -e "$R/.debootstrapped" ]; then
  rm -rf --one-file-system "$R"
  # the bookworm keyring already holds the trixie keys which sign sid; signature IS checked
  debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
     sid "$R" $MIRROR > "$B/debootstrap.log" 2>&1
  touch "$R/.debootstrapped"
  step "debootstrap minbase sid"
fi
if [ ! -x "$R/usr/sbin/mysqld" ]; then
  printf '#!/bin/sh\nexit 101\n' > "$R/usr/sbin/policy-rc.d"; chmod +x "$R/usr/sbin/policy-rc.d"
  # a mirror that keeps old states is past its Valid-Until: skip that date check, in this root only (signatures are still checked)
  echo 'Acquire::Check-Valid-Until "false";' > "$R/etc/apt/apt.conf.d/99old-mirror"
  chroot "$R" env DEBIAN_FRONTEND=noninteractive apt-get -qq update
  chroot "$R" env DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends install \
     mysql-server-core mysql-client-core mysql-common > "$B/apt.log" 2>&1
  chroot "$R" apt-get clean
  step "apt-get install mysql-server-core mysql-client-core"
fi
# debootstrap may leave proc/sys mounted in the root
for m in $(awk -v r="$R/" 'index($2,r)==1{print $2}' /proc/mounts | sort -r); do umount "$m"; done
chroot "$R" getent passwd mysql >/dev/null || chroot "$R" useradd -r -u 33306 -s /usr/sbin/nologin -d /nonexistent mysql
mkdir -p "$R/data" "$R/run/m9"
cat > "$R/etc/m9.cnf" <<CNF
[mysqld]
user=mysql
datadir=/data/d
socket=/run/m9/mysqld.sock
pid-file=/run/m9/mysqld.pid
log-error=/data/error.log
bind-address=127.0.0.1
port=${MYSQL9_PORT:-53307}
mysqlx=OFF
skip-log-bin
skip-name-resolve
innodb_buffer_pool_size=256M
innodb_flush_log_at_trx_commit=1
innodb_redo_log_capacity=256M
max_allowed_packet=64M
secure-file-priv=
performance_schema=OFF
CNF
# /data and /run/m9 are the only places written to; both are visible outside as $R/data, $R/run/m9
chroot "$R" chown mysql:mysql /data /run/m9
ln -sfn "$R/run/m9/mysqld.sock" "$S/mysqld.sock"

if [ ! -d "$R/data/d/mysql" ]; then
  chroot "$R" /usr/sbin/mysqld --defaults-file=/etc/m9.cnf --initialize-insecure
  step "initialize data dir"
  "$SELF/start.sh"
  chroot "$R" mysql --no-defaults -uroot -S /run/m9/mysqld.sock <<SQL
CREATE DATABASE IF NOT EXISTS t CHARACTER SET utf8mb4;
CREATE USER IF NOT EXISTS 'u'@'localhost' IDENTIFIED WITH caching_sha2_password BY 'pw';
CREATE USER IF NOT EXISTS 'u'@'127.0.0.1' IDENTIFIED WITH caching_sha2_password BY 'pw';
GRANT ALL ON t.* TO 'u'@'localhost'; GRANT ALL ON t.* TO 'u'@'127.0.0.1';
SQL
  "$SELF/stop.sh"
  step "first start, users, stop"
fi
du -sm "$R" --exclude=data | awk '{print "root (without data): " $1 " MB"}'
du -sm "$R/data" | awk '{print "data: " $1 " MB"}'
