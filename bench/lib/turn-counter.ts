import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on the loopback that counts round trips. */
export interface TurnCounter {
  readonly port: number;
  /** Connections that are open. */
  connections(): number;
  /** Round trips so far: a client sent something after an answer, or first. */
  turns(): number;
  stop(): Promise<void>;
}

/** Starts a proxy in front of a Unix socket. Works for each protocol of questions and answers. */
export async function startTurnCounter(path: string): Promise<TurnCounter> {
  const nearSockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((near) => {
    const far = connect(path);
    let isAnswered = true;
    nearSockets.add(near.setNoDelay(true));
    near.on('data', () => {
      if (isAnswered) turns += 1;
      isAnswered = false;
    });
    far.on('data', () => {
      isAnswered = true;
    });
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        nearSockets.delete(near);
        near.destroy();
        far.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => nearSockets.size,
    turns: () => turns,
    async stop() {
      for (const socket of nearSockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
