#!/bin/bash
# Good guess: rsyslog reads messages of 8,192 bytes, which RFC 5425 recommends and its maxMessageSize of 8k names, and
# with octet counting it knows where a longer one ends. What happens: the default is 8,096 bytes. imtcp cuts a counted
# frame there and takes the rest as a second message with another severity, although its length stood before it. Only
# discardTruncatedMsg, which the manual describes for the other framing, drops the rest.
set -euo pipefail
RSYSLOG=8.2302.0-1+deb12u2
folder=$(mktemp -d)
server=
finish() { [ -z "$server" ] || { kill "$server"; wait "$server" || true; } 2>/dev/null; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
apt-get download -q "rsyslog=$RSYSLOG" libestr0 libfastjson4 >/dev/null 2>&1
for package in ./*.deb; do dpkg -x "$package" root; done
libraries="$folder/root/usr/lib/x86_64-linux-gnu"
read -r plain discarding < <(python3 -c 'import socket
both = [socket.create_server(("127.0.0.1", 0)) for _ in "ab"]
print(*(one.getsockname()[1] for one in both))')
cat >rsyslog.conf <<CONF
global(workDirectory="$folder")
module(load="imtcp")
input(type="imtcp" address="127.0.0.1" port="$plain" name="plain")
input(type="imtcp" address="127.0.0.1" port="$discarding" name="discarding" discardTruncatedMsg="on")
template(name="t" type="string" string="%inputname% %syslogseverity-text% %msg:::drop-last-lf%\n")
action(type="omfile" file="$folder/received" template="t")
CONF
LD_LIBRARY_PATH="$libraries" root/usr/sbin/rsyslogd -n -M "$libraries/rsyslog" -f rsyslog.conf -i "$folder/pid" >log 2>&1 &
server=$!
cat >send.py <<'PY'
import socket, sys, time
HEAD = '<108>1 2026-11-30T09:00:00.000Z host program 7 kind - '
def send(port):
    for _ in range(100):
        try:
            link = socket.create_connection(('127.0.0.1', int(port)))
            break
        except OSError:
            time.sleep(0.2)
    for size in (8096, 8192):
        link.sendall(f'{size} {HEAD}{"x" * (size - len(HEAD) - 4)} end'.encode())
    link.shutdown(socket.SHUT_WR)
    link.recv(1)
for port in sys.argv[1:]:
    send(port)
PY
python3 send.py "$plain" "$discarding"
kill "$server"
wait "$server" || true
server=
seen() {
  grep "^$1 " received | awk '{ print $2, ($NF == "end" ? "with" : "without") " the end" }' | paste -sd';'
}
plain_seen=$(seen plain)
discarding_seen=$(seen discarding)
echo "rsyslog ${RSYSLOG%%-*}; counted frames of 8,096 and 8,192 bytes of severity warning"
echo "  records of imtcp: $plain_seen"
echo "  with discardTruncatedMsg: $discarding_seen"
[ "$plain_seen" = 'warning with the end;warning without the end;notice without the end' ] &&
  [ "$discarding_seen" = 'warning with the end;warning without the end' ]
