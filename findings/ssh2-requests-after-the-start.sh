#!/bin/bash
# ssh2's server leaves requests of a running program unanswered, and drops every signal after the end of input.
set -euo pipefail
SSH2=1.17.0
ASYNCSSH=2.24.1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts "ssh2@$SSH2" >/dev/null
python3 -m venv python
python/bin/pip install -q --disable-pip-version-check "asyncssh==$ASYNCSSH"
cat > server.cjs <<'JS'
// A server as in the examples of ssh2: its program ends with the first signal, or after five seconds.
const { generateKeyPairSync } = require('node:crypto');
const { Server } = require('ssh2');
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const server = new Server({ hostKeys: [privateKey] }, (client) => {
  client.on('error', () => undefined);
  client.on('authentication', (context) => context.accept());
  client.on('session', (accept) => {
    const session = accept();
    let channel;
    const end = (status) => {
      if (!channel.writable) return;
      channel.exit(status);
      channel.end();
    };
    session.on('signal', (_accept, _reject, { name }) => end(name === 'TERM' ? 15 : 1));
    session.on('exec', (take) => {
      channel = take();
      channel.resume();
      channel.write('started\n');
      setTimeout(() => end(0), 5000);
    });
  });
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
JS
cat > client.py <<'PY'
import asyncio, sys
import asyncssh

async def main():
    async with asyncssh.connect(
            "127.0.0.1", int(sys.argv[1]), username="any", password="any",
            known_hosts=None, client_keys=None) as connection:
        for ends_input in (False, True):
            process = await connection.create_process("program")
            await process.stdout.readline()
            if ends_input:
                process.stdin.write_eof()
            process.send_signal("TERM")
            result = await process.wait()
            print(f"TERM {'after' if ends_input else 'before'} the end of input: "
                  f"status {result.exit_status}", flush=True)
        process = await connection.create_process("program")
        await process.stdout.readline()
        # A request with "want reply" that the server does not know (RFC 4254, section 5.4).
        request = process.channel._make_request(b"winadj@putty.projects.tartarus.org")
        try:
            answer = await asyncio.wait_for(request, 3)
            print("unknown request of a running program:", "accepted" if answer else "refused")
        except asyncio.TimeoutError:
            print("unknown request of a running program: no answer within 3 seconds")

asyncio.run(main())
PY
echo "ssh2 $(node -p "require('ssh2/package.json').version"), asyncssh $(python/bin/pip list 2>/dev/null | awk '$1 == "asyncssh" {print $2}'), Node.js $(node --version)"
node server.cjs > port &
server=$!
trap 'kill $server; rm -rf "$folder"' EXIT
until [ -s port ]; do sleep 0.1; done
python/bin/python client.py "$(cat port)" | tee out
grep -qx 'TERM before the end of input: status 15' out
grep -qx 'TERM after the end of input: status 0' out
grep -qx 'unknown request of a running program: no answer within 3 seconds' out
