#!/bin/bash
# Good guess: after a Flush, a client gets each answer that is ready (PostgreSQL, "Extended Query"), also through a
# pooler. What happens: pgpool-II takes Parse and Flush and sends no ParseComplete, however long the client waits. A
# Describe of the statement before the Flush brings both answers. Bind, Describe and Flush work, too. So a driver that
# waits for ParseComplete before it binds hangs at its first statement, and no cancel request ends that: nothing runs.
set -euo pipefail
POSTGRESQL=15.20-0+deb12u1
PGPOOL=4.3.5-1+deb12u1
folder=$(mktemp -d)
as=
pool=
finish() {
  [ -z "$pool" ] || { kill -INT "$pool"; wait "$pool" || true; } 2>/dev/null
  $as "$folder/bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT
chmod 755 "$folder"
cd "$folder"
# Only the programs come from here; libraries are those of the system
# (apt-get install postgresql pgpool2 brings them).
apt-get download -q "postgresql-15=$POSTGRESQL" "pgpool2=$PGPOOL" >/dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
ln -s root/usr/lib/postgresql/15/bin bin
mkdir data socket
# Both servers refuse to run as root.
if [ "$(id -u)" = 0 ]; then
  chown nobody data socket
  as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
fi
read -r server front < <(python3 -c 'import socket
both = [socket.create_server(("127.0.0.1", 0)) for _ in "ab"]
print(*(one.getsockname()[1] for one in both))')
$as bin/initdb -D data -U tester -A trust >/dev/null
$as bin/pg_ctl -D data -w -l data/log -o "-p $server -k $folder/socket -h 127.0.0.1" start >/dev/null
cat >pgpool.conf <<CONF
backend_clustering_mode = 'raw'
listen_addresses = '127.0.0.1'
port = $front
socket_dir = '$folder/socket'
pcp_listen_addresses = ''
pcp_socket_dir = '$folder/socket'
backend_hostname0 = '127.0.0.1'
backend_port0 = $server
num_init_children = 4
pid_file_name = '$folder/socket/pid'
logdir = '$folder/socket'
work_dir = '$folder/socket'
pool_passwd = ''
CONF
: >pcp.conf
$as root/usr/sbin/pgpool -n -f "$folder/pgpool.conf" -F "$folder/pcp.conf" >log 2>&1 &
pool=$!
for _ in $(seq 100); do
  grep -q 'successfully started' log && break
  sleep 0.2
done
cat >ask.py <<'PY'
import socket, struct, sys
def message(kind, body=b''):
    return kind + struct.pack('!i', len(body) + 4) + body
PARSE = message(b'P', b'\0select 1\0\0\0')
STATEMENT, PORTAL = message(b'D', b'S\0'), message(b'D', b'P\0')
BIND, FLUSH = message(b'B', bytes(8)), message(b'H')
def answers(requests, last):
    link = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
    link.settimeout(5)
    stream = link.makefile('rb')
    def until(kind):
        kinds = ''
        while not kinds.endswith(kind):
            head = stream.read(5)
            kinds += head[:1].decode()
            stream.read(struct.unpack('!i', head[1:])[0] - 4)
        return kinds
    body = struct.pack('!i', 196608) + b'user\0tester\0database\0postgres\0\0'
    link.sendall(struct.pack('!i', len(body) + 4) + body)
    until('Z')
    link.sendall(requests)
    try:
        return until(last)
    except TimeoutError:
        return 'nothing in 5 s'
print(answers(PARSE + FLUSH, '1'), answers(PARSE + STATEMENT + FLUSH, 'T'),
      answers(PARSE + BIND + PORTAL + FLUSH, 'T'), sep='; ')
PY
direct=$(python3 ask.py "$server")
pooled=$(python3 ask.py "$front")
echo "PostgreSQL ${POSTGRESQL%%-*}, pgpool-II ${PGPOOL%%-*}"
echo 'answers to Parse, Flush; to Parse, Describe statement, Flush; to Parse, Bind, Describe portal, Flush'
echo "  PostgreSQL: $direct"
echo "  pgpool-II:  $pooled"
[ "$direct" = '1; 1tT; 12T' ] && [ "$pooled" = 'nothing in 5 s; 1tT; 12T' ]
