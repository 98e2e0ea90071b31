#!/bin/bash
# ssh2 forgets the middle of a server's identification that arrives in three or more pieces.
set -euo pipefail
SSH2=1.17.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts "ssh2@$SSH2" >/dev/null
cat > run.cjs <<'JS'
const net = require('node:net');
const { generateKeyPairSync } = require('node:crypto');
const { Client, Server } = require('ssh2');
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
// A correct server, and a relay that passes its first bytes in several TCP segments.
const server = new Server({ hostKeys: [privateKey], ident: 'OpenSSH_9.2' }, (client) => {
  client.on('error', () => undefined);
  client.on('authentication', (context) => context.accept());
}).listen(0, '127.0.0.1');
const attempt = (pieces) => new Promise((done) => {
  const relay = net.createServer((socket) => {
    socket.setNoDelay(true);
    const target = net.connect(server.address().port, '127.0.0.1');
    for (const side of [socket, target]) side.on('error', () => undefined);
    socket.pipe(target);
    target.once('data', async (first) => {
      target.pause();
      const size = Math.ceil(first.length / pieces);
      for (let at = 0; at < first.length; at += size) {
        socket.write(first.subarray(at, at + size));
        await new Promise((next) => setTimeout(next, 100));
      }
      target.pipe(socket);
    });
  }).listen(0, '127.0.0.1', () => {
    const client = new Client();
    const end = (outcome) => { client.destroy(); relay.close(); done(outcome); };
    client.once('ready', () => end('ready'));
    client.on('error', (error) => end(error.message));
    client.connect({ host: '127.0.0.1', port: relay.address().port, username: 'x', password: 'y', readyTimeout: 10000 });
  });
});
(async () => {
  const outcomes = [];
  for (const pieces of [1, 2, 3]) {
    outcomes.push(await attempt(pieces));
    console.log(`identification in ${pieces} segment(s): ${outcomes.at(-1)}`);
  }
  const isAsSeen = outcomes[0] === 'ready' && outcomes[1] === 'ready' && outcomes[2] !== 'ready';
  process.exit(isAsSeen ? 0 : 1);
})();
JS
echo "ssh2 $(node -p "require('ssh2/package.json').version"), Node.js $(node --version)"
echo "RFC 4253, section 4.2: the identification is one line of a TCP stream, in any number of segments."
node run.cjs
