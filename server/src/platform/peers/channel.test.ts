import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createVault, directKey } from '../crypto/vault.ts';
import { createPeerChannel } from './channel.ts';

/** Sends a request with the key and a header of another form than our servers send. */
async function askWith(port: number, psk: Buffer, about: string): Promise<string> {
  const options = {
    host: '127.0.0.1',
    port,
    path: '/echo',
    ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
    maxVersion: 'TLSv1.2' as const,
    headers: { 'x-sallyport-about': about },
    pskCallback: () => ({ psk, identity: 'sallyport' }),
    checkServerIdentity: () => undefined,
  };
  const sent = request(options);
  sent.end();
  return once(sent, 'response').then(
    () => 'answered',
    () => 'cut off',
  );
}

it('survives a malformed header of a holder of the key, and answers the next server', async () => {
  const keys = createVault(directKey(randomBytes(32))).keysFor('peers');
  const [server, other] = [createPeerChannel(keys), createPeerChannel(keys)];
  server.answer('echo', async (about, response) => void response.end(JSON.stringify(about)));
  const port = await server.listen('127.0.0.1', 0);
  try {
    expect(
      await askWith(port, keys.active().bytes, Buffer.from('{"a":').toString('base64url')),
    ).toBe('cut off');
    expect(await text(await other.ask({ host: '127.0.0.1', port }, 'echo', { a: 1 }))).toBe(
      '{"a":1}',
    );
  } finally {
    await Promise.all([server.close(), other.close()]);
  }
});
