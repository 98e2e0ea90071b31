#!/usr/bin/env bash
# Good guess: an entry of mysql2's `authPlugins` replaces how one method of signing in is computed, and the sign-in
# otherwise stays the same: a server that greets with caching_sha2_password gets its answer at once.
#
# What happens: an entry for the method that the server greets with makes the client begin with
# mysql_native_password, which the server did not name and MySQL 9 no longer has. The server must ask to switch, one
# round trip more for each connection, and an answer by SHA-1 crosses the network first. Without the entry, or with
# one for another method, the client answers with the method of the greeting.
#
# mysql2 3.24.6 (npm). The greeting is that of MySQL 9.7.4.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent mysql2@3.24.6
cat >run.js <<'JS'
const net = require('node:net');
const mysql = require('mysql2');

const METHOD = 'caching_sha2_password';
// A greeting as of MySQL 9: protocol 10, a fixed challenge, and the method. PLUGIN_AUTH is offered.
const body = Buffer.concat([
  Buffer.from([10]), Buffer.from('9.7.4\0'),
  Buffer.from('0100000001020304050607080000a2ff020008001500000000000000000000', 'hex'),
  Buffer.from('0102030405060708090a0b0c00', 'hex'), Buffer.from(`${METHOD}\0`),
]);
const greeting = Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);

/** The method that the first answer of the client names. */
const first = (authPlugins) =>
  new Promise((done) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(greeting);
      socket.once('data', (answer) => {
        done(answer.includes(METHOD) ? METHOD : answer.includes('mysql_native_password') ? 'mysql_native_password' : '?');
        socket.destroy();
        server.close();
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      const connection = mysql.createConnection({ host: '127.0.0.1', port, user: 'u', password: 'p', authPlugins });
      connection.on('error', () => undefined);
    });
  });

(async () => {
  const own = mysql.authPlugins.caching_sha2_password({});
  const seen = {
    'no entry': await first(undefined),
    'an entry for another method': await first({ other: own }),
    "the library's own implementation as entry": await first({ [METHOD]: own }),
  };
  console.log(`mysql2 ${require('mysql2/package.json').version}; the server greets with ${METHOD}; the client begins with`);
  for (const [name, method] of Object.entries(seen)) console.log(`  ${method}  (${name})`);
  const methods = Object.values(seen).join();
  process.exit(methods === `${METHOD},${METHOD},mysql_native_password` ? 0 : 1);
})();
JS
timeout 60 node run.js
