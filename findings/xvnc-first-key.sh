#!/bin/bash
# TigerVNC's Xvnc loses the first key of a connection if its layout has no key for the character.
set -euo pipefail
XVNC=1.12.0+dfsg-8
XTERM=379-1
folder=$(mktemp -d)
started=()
finish() { for one in "${started[@]}"; do kill "$one" 2>/dev/null || true; done; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
# Only the two programs come from here; libraries, xkb-data and fonts are those of the system
# (apt-get install tigervnc-standalone-server xterm brings them).
apt-get download -q "tigervnc-standalone-server=$XVNC" "xterm=$XTERM" >/dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
cat > type.mjs <<'JS'
// A minimal RFB 3.8 client (RFC 6143): handshake without security, then key events.
import net from 'node:net';
const [port, text, begin] = process.argv.slice(2);
const socket = net.connect(Number(port), '127.0.0.1');
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const key = async (keysym) => {
  for (const down of [1, 0]) {
    const message = Buffer.alloc(8);
    message[0] = 4;
    message[1] = down;
    message.writeUInt32BE(keysym, 4);
    socket.write(message);
  }
  await pause(100);
};
const answers = ['RFB 003.008\n', Buffer.from([1]), Buffer.from([1])];
socket.on('data', async () => {
  const answer = answers.shift();
  if (answer) return socket.write(answer);
  socket.removeAllListeners('data');
  socket.resume();
  if (begin === 'shift') await key(0xffe1);
  for (const character of text) {
    const point = character.codePointAt(0);
    await key(point > 0xff ? 0x1000000 + point : point);
  }
  await key(0xff0d);
  await pause(500);
  socket.destroy();
});
JS
# Types a text into a fresh desktop and prints the line that its terminal read.
line_of() {
  local port=$((20000 + RANDOM % 20000)) display=":$((100 + RANDOM % 800))"
  root/usr/bin/Xtigervnc "$display" -SecurityTypes None -localhost -rfbport "$port" -geometry 300x200 >/dev/null 2>&1 &
  local server=$!
  started+=("$server")
  sleep 2
  rm -f line
  LC_ALL=C.UTF-8 root/usr/bin/xterm -u8 -display "$display" -e sh -c 'read -r line; echo "$line" > "$0"' "$folder/line" >/dev/null 2>&1 &
  started+=($!)
  sleep 3
  node type.mjs "$port" "$1" "${2:-}"
  kill "$server"
  cat line
}
echo "Xvnc $XVNC, xterm $XTERM, Node.js $(node --version)"
plain=$(line_of '你好')
echo "typed 你好 first:               read $plain"
later=$(line_of 'a你好')
echo "typed a你好:                    read $later"
warm=$(line_of '你好' shift)
echo "typed Shift, then 你好:         read $warm"
[ "$plain" != 你好 ] && [ "$later" = a你好 ] && [ "$warm" = 你好 ]
