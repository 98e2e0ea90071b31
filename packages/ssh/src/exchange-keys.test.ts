import { once } from 'node:events';
import { expect, it } from 'vitest';
import { forgetExchanges } from './incoming.ts';
import { type CurveExchange, exchangeOf, keyPairOf } from './internals.ts';
import { generateSshKeyPair } from './keys.ts';
import { type Connection, type KexAlgorithm, ssh2 } from './ssh2.ts';

/** Returns the key pair of one side's last key exchange. */
const pairOf = (side: object): unknown => keyPairOf(exchangeOf(side) as CurveExchange);

/** Returns true if one side's last exchange has the function that keeps the shared secret. */
const keepsSecret = (side: object): boolean =>
  Object.hasOwn(exchangeOf(side) as CurveExchange, 'finish');

it.each(['curve25519-sha256', 'ecdh-sha2-nistp256', 'mlkem768x25519-sha256'])(
  'deletes the secrets of each exchange with %s on both sides, also after a rekey',
  async (name) => {
    // The hybrid builds on Curve25519, so both sides offer that too.
    const kex = (name.startsWith('mlkem') ? [name, 'curve25519-sha256'] : [name]) as KexAlgorithm[];
    const accepted = Promise.withResolvers<Connection>();
    const kept = Promise.withResolvers<unknown>();
    const server = new ssh2.Server(
      { hostKeys: [generateSshKeyPair('test').private], algorithms: { kex } },
      (connection) => {
        // Read the pair before it is deleted, to notice a change of the library.
        connection.once('handshake', () => {
          kept.resolve([pairOf(connection), keepsSecret(connection)]);
        });
        forgetExchanges(connection);
        connection.on('error', () => undefined);
        connection.on('authentication', (context) => context.accept());
        connection.on('session', (accept) =>
          accept().on('exec', (open) => void open().end('done')),
        );
        accepted.resolve(connection);
      },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const client = new ssh2.Client();
    forgetExchanges(client);
    client.connect({
      host: '127.0.0.1',
      port: address && typeof address === 'object' ? address.port : 0,
      username: 'a',
      algorithms: { kex },
    });
    await once(client, 'ready');
    const connection = await accepted.promise;
    const expected = name === 'ecdh-sha2-nistp256' ? undefined : null;
    if (name === 'curve25519-sha256')
      expect(await kept.promise).toMatchObject([{ privateKey: expect.anything() }, true]);
    const forgotten = [expected, expected, false, false];
    const left = () =>
      [client, connection].map(pairOf).concat([client, connection].map(keepsSecret));
    expect(left()).toEqual(forgotten);

    const again = once(client, 'handshake');
    await new Promise<void>((done) => connection.rekey(() => done()));
    await again;
    expect(left()).toEqual(forgotten);
    const output = await new Promise<string>((done, failed) => {
      client.exec('anything', (error, channel) => {
        if (error) return failed(error);
        let text = '';
        channel.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        channel.on('close', () => done(text));
      });
    });
    expect(output).toBe('done');
    client.end();
    await once(client, 'close');
    server.close();
  },
);
