import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

/** Runs as a separate process: the hooks that patch ssh2 do not apply to the loader of vitest. */
const PROGRAM = `
import { once } from 'node:events';
import { createServer } from 'node:net';
const { createIncoming, generateSshKeyPair, parseKey, ssh2 } = await import(process.env.TEST_SSH);
// A server parses keys before the first connection loads the rest of ssh2.
parseKey('no key');
const algorithms = {
  kex: ['curve25519-sha256'],
  serverHostKey: ['ssh-ed25519'],
  cipher: ['aes128-gcm@openssh.com'],
  mac: ['hmac-sha2-256'],
};
const accept = createIncoming({
  hostKeys: [generateSshKeyPair('test').private],
  algorithms,
  ident: 'test',
  keepaliveMs: 0,
  keepaliveMisses: 0,
});
const server = createServer((socket) => accept(socket, (connection) => {
  connection.on('authentication', (context) => context.accept());
  connection.on('session', (open) => open().on('exec', (run, _refuse, { command }) => {
    const channel = run();
    channel.exit(0);
    channel.end(String(command.length));
  }));
}));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const client = new ssh2.Client();
client.connect({ host: '127.0.0.1', port: server.address().port, username: 'a' });
await once(client, 'ready');
client.exec('x'.repeat(200 * 1024), (error, channel) => {
  if (error) throw error;
  channel.on('data', (chunk) => console.log(chunk.toString()));
  channel.on('close', () => process.exit(0));
});
`;

it('accepts a command of 200 KiB, as OpenSSH does', async () => {
  const env = { ...process.env, TEST_SSH: join(import.meta.dirname, '../index.ts') };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM], { env });
  expect(stdout).toBe('204800\n');
});
