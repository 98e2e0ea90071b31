import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { reservePort } from './reserved-ports.ts';

/** A range below the ephemeral ports, which the system assigns itself. */
const PORTS = { first: 12_000, last: 32_000 };

/** Returns an unused loopback port, reserved among all tests of this run. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last);
    if (reservePort(port) && (await isFree(port))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
