import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { int32, startup, VERSION_3, zeroEnded } from '@sallyport/sql-relays';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import {
  type PostgresServer,
  startPostgres,
} from '../../../../testing/databases/postgres-server.ts';
import { freePort } from '../../../../testing/free-port.ts';

let world: DatabaseWorld;
let port: number;
/** PostgreSQL 18.4 of the tests. */
let server: PostgresServer;
beforeAll(async () => {
  [port, server] = await Promise.all([freePort(), startPostgres()]);
  world = await startDatabaseWorld({ postgresqlPort: port });
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

/** Reads messages until one of the wanted type; its type and body. */
async function messages(stream: Socket | TLSSocket, last: string) {
  const read: { type: string; body: Buffer }[] = [];
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    while (bytes.length >= 5 && bytes.length > bytes.readInt32BE(1)) {
      const end = 1 + bytes.readInt32BE(1);
      read.push({ type: bytes.toString('latin1', 0, 1), body: bytes.subarray(5, end) });
      bytes = bytes.subarray(end);
    }
    if (read.some(({ type }) => type === last)) break;
  }
  stream.destroy();
  return read;
}
const first = (minor: number, options: readonly string[] = []) =>
  startup(
    VERSION_3 + minor,
    ...['user', 'nobody', ...options.flatMap((name) => [name, 'on'])].map(zeroEnded),
    Buffer.from([0]),
  );

describe('the version of the protocol', () => {
  // As PostgreSQL 18.4 answers; 15.18 answers each newer version with 196608.
  it.each([
    { minor: 0, options: [], answer: undefined },
    { minor: 1, options: [], answer: undefined },
    { minor: 2, options: [], answer: undefined },
    { minor: 3, options: [], answer: [196_610, 0] },
    { minor: 9999, options: ['_pq_.test_protocol_negotiation'], answer: [196_610, 1] },
    { minor: 0, options: ['_pq_.a', '_pq_.b'], answer: [196_608, 2] },
    { minor: 2, options: ['_pq_.a'], answer: [196_610, 1] },
  ])(
    'answers 3.$minor with the options $options by $answer',
    async ({ minor, options, answer }) => {
      const ask = (at: number) => {
        const socket = connectTcp(at, '127.0.0.1');
        socket.write(first(minor, options));
        return messages(socket, 'R');
      };
      const [negotiated, challenge] = await ask(port);
      const [real] = await ask(server.port);
      expect([negotiated?.type, negotiated?.type === 'v' && negotiated.body]).toEqual([
        real?.type,
        real?.type === 'v' && real.body,
      ]);
      if (answer === undefined) {
        expect(negotiated?.type).toBe('R');
        return;
      }
      expect([negotiated?.type, challenge?.type]).toEqual(['v', 'R']);
      const body = negotiated?.body ?? Buffer.alloc(8);
      expect([body.readInt32BE(0), body.readInt32BE(4)]).toEqual(answer);
      expect(body.subarray(8).toString()).toBe(options.map((name) => `${name}\0`).join(''));
    },
  );
});

describe('TLS without a request', () => {
  const secured = (ALPNProtocols?: string[]) =>
    connectTls({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      ...(ALPNProtocols && { ALPNProtocols }),
    });

  it('begins at once with the protocol of PostgreSQL', async () => {
    const socket = secured(['postgresql']);
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('postgresql');
    socket.write(first(0));
    expect((await messages(socket, 'R')).map(({ type }) => type)).toEqual(['R']);
  });

  it('refuses a client that names no protocol, with the reason', async () => {
    const [error] = await messages(secured(), 'E');
    expect(error?.body.toString()).toContain('needs the protocol "postgresql"');
  });

  it('refuses a client of another protocol', async () => {
    const socket = secured(['http/1.1']);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(String(error)).toMatch(/no application protocol/i);
  });

  it('refuses a second request for TLS within TLS', async () => {
    const socket = secured(['postgresql']);
    await once(socket, 'secureConnect');
    socket.resume();
    socket.write(startup(80_877_103));
    await once(socket, 'close');
  });

  it('ends a handshake in a message of the protocol, and one that is none', async () => {
    for (const bytes of [
      Buffer.concat([startup(80_877_104), Buffer.from([0x16, 3, 1, 0])]),
      Buffer.concat([Buffer.from([0x16]), int32(7), int32(7)]),
    ]) {
      const socket = connectTcp(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(bytes);
      await once(socket, 'close');
    }
  });
});
