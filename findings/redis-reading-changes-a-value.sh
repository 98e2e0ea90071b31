#!/bin/bash
# Good guess: an account with the category @read alone leaves every value as it is, so a value may be
# compared by its bytes before and after its sessions. What happens: PFCOUNT belongs to @read and keeps its result in the
# value. The next GET or DUMP of the key gives other bytes, WATCH of another client sees a change, and a replica gets the
# command. GET, STRLEN and SCAN change nothing.
set -euo pipefail
REDIS=5:7.0.15-1~deb12u10
folder=$(mktemp -d)
server=
finish() { [ -z "$server" ] || { kill "$server"; wait "$server" || true; }; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
# Only the programs come from here; libraries are those of the system (apt-get install redis brings them).
apt-get download -q "redis-server=$REDIS" "redis-tools=$REDIS" >/dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
root/usr/bin/redis-server --port 0 --unixsocket "$folder/socket" --save '' >log 2>&1 &
server=$!
redis() { root/usr/bin/redis-cli -s "$folder/socket" "$@"; }
for _ in $(seq 100); do
  redis ping >/dev/null 2>&1 && break
  sleep 0.2
done
redis acl setuser reader on nopass '~*' +@read >/dev/null
reader() { redis --no-auth-warning --user reader --pass x "$@"; }
redis pfadd visits a b c >/dev/null
value() { redis get visits | sha256sum | cut -c1-12; }
echo "Redis $(redis info server | grep -o 'redis_version:[0-9.]*')"
before=$(value)
refused=$(reader pfadd visits d 2>&1 || true)
reader strlen visits >/dev/null
after_strlen=$(value)
count=$(reader pfcount visits)
after_count=$(value)
echo "the account may not write: $refused"
echo "value before $before, after STRLEN $after_strlen, after PFCOUNT ($count) $after_count"
grep -q NOPERM <<<"$refused" && [ "$before" = "$after_strlen" ] && [ "$after_count" != "$before" ]
