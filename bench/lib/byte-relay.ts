import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('byte-relay-process.ts', import.meta.url));

/** The part of a figure's name that stands for the relay. */
export const RELAY = 'relay of bytes';

export interface ByteRelay {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts the least program of Node.js between clients and a port of this machine: it passes bytes
 * in both directions and knows nothing of them.
 */
export async function startByteRelay(port: number): Promise<ByteRelay> {
  const child = spawn(process.execPath, [PROGRAM, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    port: (JSON.parse(address.toString()) as { port: number }).port,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
