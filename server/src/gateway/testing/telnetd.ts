import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';

const TELNETD = '/usr/sbin/telnetd';

/** A telnet server that runs for one test. */
export interface TestTelnetd {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts Debian's telnetd on a free loopback port, which lets accounts of this machine sign in. Needs root, as login(1) does. */
export async function startTelnetd(): Promise<TestTelnetd> {
  if (!existsSync(TELNETD)) throw new Error(`${TELNETD} is missing; install it with: apt-get install -y --no-install-recommends inetutils-telnetd`);
  if (process.getuid?.() !== 0) throw new Error('telnetd lets nobody sign in unless root starts it; run this test as root');
  return listen((socket) => {
    // It is made for inetd, which hands a connection over as input and output.
    spawn(TELNETD, ['-h'], { stdio: [socket, socket, 'ignore'] });
    socket.destroy();
  });
}

/** Starts a device that a test describes: what it says, and what it does with what it gets. */
export async function startDevice(talk: (socket: Socket) => void): Promise<TestTelnetd> {
  return listen((socket) => {
    socket.on('error', () => undefined);
    talk(socket.resume());
  });
}

async function listen(take: (socket: Socket) => void): Promise<TestTelnetd> {
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
