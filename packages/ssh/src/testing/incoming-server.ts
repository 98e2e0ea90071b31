import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { createIncoming } from '../incoming.ts';
import { generateSshKeyPair } from '../keys.ts';
import type { Connection, KexAlgorithm } from '../ssh2.ts';

/** The server of a test file, which accepts every sign-in. */
export interface IncomingServer {
  port(): number;
  /** Returns the server's side of the next connection. */
  next(): Promise<Connection>;
}

/** Starts our own server on loopback for the tests of a file. */
export function useIncoming(kex: KexAlgorithm[]): IncomingServer {
  let accepted = Promise.withResolvers<Connection>();
  const accept = createIncoming({
    hostKeys: [generateSshKeyPair('test').private],
    algorithms: {
      kex,
      serverHostKey: ['ssh-ed25519'],
      cipher: ['aes128-gcm@openssh.com'],
      mac: ['hmac-sha2-256'],
    },
    ident: 'test',
    keepaliveMs: 0,
    keepaliveMisses: 0,
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    accept(socket, (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (context) => context.accept());
      accepted.resolve(connection);
    });
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());
  return {
    port() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      return address.port;
    },
    next() {
      accepted = Promise.withResolvers<Connection>();
      return accepted.promise;
    },
  };
}
