import { generateKeyPairSync, KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { CIPHERS, ssh2 } from './ssh2.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** Counts the key objects and raw keys of one direction of a connection. */
function keysOf(
  client: object,
  direction: '_cipher' | '_decipher',
): { readonly objects: number; readonly bytes: number } {
  const protocol: unknown = Reflect.get(client, '_protocol');
  const cipher: unknown =
    typeof protocol === 'object' && protocol !== null
      ? Reflect.get(protocol, direction)
      : undefined;
  const keys = Object.entries(cipher ?? {}).filter(([name]) =>
    /^_(enc|dec|decipher)Key|^key$/.test(name),
  );
  return {
    objects: keys.filter(([, key]) => key instanceof KeyObject).length,
    bytes: keys.filter(([, key]) => Buffer.isBuffer(key)).length,
  };
}

it.each(CIPHERS)('creates no key object per packet with %s and transfers data', async (cipher) => {
  const server = new ssh2.Server(
    { hostKeys: [privateKey], algorithms: { cipher: [cipher] } },
    (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (context) => context.accept());
      connection.on('session', (accept) =>
        accept().on('exec', (open) => void open().end('x'.repeat(100_000))),
      );
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const client = new ssh2.Client();
  client.connect({
    host: '127.0.0.1',
    port: address && typeof address === 'object' ? address.port : 0,
    username: 'a',
    algorithms: { cipher: [cipher] },
  });
  await once(client, 'ready');
  let received = 0;
  client.exec('anything', (_error, channel) => {
    channel.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    channel.on('close', () => client.end());
  });
  const isPerPacket = !cipher.endsWith('-ctr');
  for (const direction of ['_cipher', '_decipher'] as const) {
    const { objects, bytes } = keysOf(client, direction);
    expect(bytes).toBe(0);
    expect(objects > 0).toBe(isPerPacket);
  }
  await once(client, 'close');
  expect(received).toBe(100_000);
  server.close();
});
