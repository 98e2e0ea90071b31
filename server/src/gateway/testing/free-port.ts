import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { reservePort } from './reserved-ports.ts';

/** The system hands out no port of this range by itself: those of connections are above. */
const PORTS = { first: 12_000, last: 32_000 };

/** Returns a loopback port that nothing listens on and that no other test of this run gets. */
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
