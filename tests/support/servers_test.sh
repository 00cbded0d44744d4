#!/bin/bash
# The script servers leaves nothing behind and touches nobody else's process. usage: servers_test.sh
set -u
servers=$(dirname "$(readlink -f "$0")")/servers
dir=$(mktemp -d)
bystander=
trap '"$servers" stop "$dir"; [ -z "$bystander" ] || kill "$bystander"; rm -rf "$dir"' EXIT
faults=0
expect() {  # SENTENCE COMMAND…
  local sentence=$1
  shift
  if "$@"; then echo "ok: $sentence"; else echo "FAILED: $sentence"; faults=$((faults + 1)); fi
}
nobody_uses() { ! grep -qsF -- "$1/" /proc/[0-9]*/cmdline; }
is_gone() {  # an installer of an interrupted start ends by itself
  for _ in $(seq 600); do
    if [ ! -e "$1" ] && nobody_uses "$1"; then return 0; fi
    sleep 0.1
  done
  return 1
}

expect "stop without a start is no error" "$servers" stop "$dir"
expect "env without servers is an error" eval '! "$servers" env "$dir" 2>/dev/null'

"$servers" start "$dir" >/dev/null 2>&1 &
start=$!
for _ in $(seq 1200); do  # until the first server runs
  base=$(cat "$dir/base" 2>/dev/null) && [ -f "$base/postgresql.pid" ] && break
  sleep 0.1
done
kill -s KILL "$start"
wait "$start" 2>/dev/null
expect "an interrupted start can be stopped" "$servers" stop "$dir"
expect "it leaves no process and no folder" is_gone "$base"

sleep 600 &
bystander=$!
stale=$(mktemp -d)
touch "$stale/lmtpd-servers"
echo "$stale" >"$dir/base"
echo "$bystander" | tee "$stale/postgresql.pid" >"$stale/mysql.pid"
expect "stop with stale numbers is no error" "$servers" stop "$dir"
expect "a stranger with a stale number lives on" kill -s 0 "$bystander"
expect "the stale folder is gone" [ ! -e "$stale" ]

echo "$faults fault(s)"
[ "$faults" -eq 0 ]
