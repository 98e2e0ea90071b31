import { duplexPair } from 'node:stream';
import { expect, it } from 'vitest';
import { createIncoming } from './incoming.ts';
import { generateSshKeyPair } from './keys.ts';

const accept = createIncoming({
  hostKeys: [generateSshKeyPair('test').private],
  algorithms: {
    kex: ['curve25519-sha256'],
    serverHostKey: ['ssh-ed25519'],
    cipher: ['aes128-gcm@openssh.com'],
    mac: ['hmac-sha2-256'],
  },
  ident: 'test',
  keepaliveMs: 0,
  keepaliveMisses: 0,
});

/** Returns the software that the server reads in the first line of a client. */
async function readSoftware(software: Buffer): Promise<string> {
  const [near, far] = duplexPair();
  far.resume();
  const read = Promise.withResolvers<string>();
  accept(near, (connection, name) => {
    connection.on('error', () => undefined);
    read.resolve(name);
  });
  far.write(Buffer.concat([Buffer.from('SSH-2.0-'), software, Buffer.from('\r\n')]));
  const name = await read.promise;
  near.destroy();
  far.destroy();
  return name;
}

it.each([
  ['a usual name', Buffer.from('OpenSSH_9.2p1'), 'OpenSSH_9.2p1'],
  ['NUL and other control characters', Buffer.from('a\0b\x1b[31m\x7f'), 'a?b?[31m?'],
  ['bytes beyond ASCII', Buffer.from([0x61, 0x80, 0x9b, 0xff]), 'a???'],
  ['a name of 230 characters', Buffer.alloc(230, 'x'), 'x'.repeat(200)],
])('reads printable characters of the software of a client: %s', async (_what, sent, read) => {
  expect(await readSoftware(sent)).toBe(read);
});
