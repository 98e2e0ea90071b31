#!/bin/bash
# OpenSSH's SOCKS server (-D, and -R without a destination) never sends a failure: it ends the connection unanswered.
set -euo pipefail
folder=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
dpkg-query -W -f '${Package} ${Version}\n' openssh-server openssh-client
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free) near=$(free) far=$(free) closed=$(free) greeting=$(free)
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
chmod 700 .
cp user.pub authorized
mkdir -p /run/sshd
/usr/sbin/sshd -D -e -f /dev/null -h "$folder/host" -o "ListenAddress=127.0.0.1:$port" \
  -o "AuthorizedKeysFile=$folder/authorized" -o StrictModes=no -o UsePAM=no -o PidFile=none \
  -o PermitRootLogin=yes 2>sshd.log &
pids+=($!)
python3 - "$greeting" <<'PY' &
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    server.accept()[0].sendall(b"hello")
PY
pids+=($!)
options=(-F none -N -i user -p "$port" -o StrictHostKeyChecking=no -o "UserKnownHostsFile=$folder/known"
  -o BatchMode=yes -o ExitOnForwardFailure=yes -o LogLevel=QUIET)
sleep 1
ssh "${options[@]}" -D "127.0.0.1:$near" 127.0.0.1 &
pids+=($!)
ssh "${options[@]}" -R "127.0.0.1:$far" 127.0.0.1 &
pids+=($!)
cat > ask.py <<'PY'
import socket, sys, time

def ask(proxy, port):
    """Asks a SOCKS server for a connection. Returns its answer and what follows."""
    for _ in range(100):
        try:
            stream = socket.create_connection(("127.0.0.1", proxy), 10)
            break
        except OSError:
            time.sleep(0.1)
    stream.sendall(b"\x05\x01\x00")
    assert stream.recv(2) == b"\x05\x00"
    stream.sendall(b"\x05\x01\x00\x01\x7f\x00\x00\x01" + port.to_bytes(2, "big"))
    got = b""
    while len(got) < 15:
        more = stream.recv(64)
        if not more:
            break
        got += more
    if not got:
        return "no answer, end"
    answer = "succeeded" if got[1] == 0 else f"failure {got[1]}"
    return f"{answer}, then {got[10:].decode() or 'end'}"

near, far, closed, greeting = map(int, sys.argv[1:])
for name, proxy in (("-D", near), ("-R", far)):
    for what, port in (("an open port", greeting), ("a closed port", closed)):
        print(f"{name}, {what}: {ask(proxy, port)}")
PY
python3 ask.py "$near" "$far" "$closed" "$greeting" | tee seen
diff seen - <<'TEXT'
-D, an open port: succeeded, then hello
-D, a closed port: no answer, end
-R, an open port: succeeded, then hello
-R, a closed port: no answer, end
TEXT
echo 'As described: RFC 1928 has codes for a refused connection, and neither side of OpenSSH sends one.'
