import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { processorSeconds } from './processor.ts';

/** The parts of a figure's name that stand for the relays. */
export const RELAY = 'relay of bytes';
export const SYNC_RELAY = 'relay with a sync';

export interface ByteRelay {
  readonly port: number;
  /** CPU seconds so far. */
  spent(): number;
  stop(): Promise<void>;
}

/**
 * Starts the least program of Node.js between clients and a port of this machine: it passes bytes
 * in both directions and knows nothing of them.
 */
export const startByteRelay = (port: number): Promise<ByteRelay> =>
  startRelay('byte-relay-process.ts', [String(port)]);

/**
 * Starts the least program with a durable log between clients of a database and a port of this
 * machine. The log is the file `path`.
 */
export const startSyncRelay = (port: number, path: string): Promise<ByteRelay> =>
  startRelay('sync-relay-process.ts', [String(port), path]);

async function startRelay(program: string, words: readonly string[]): Promise<ByteRelay> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    port: (JSON.parse(address.toString()) as { port: number }).port,
    spent: () => processorSeconds(child.pid),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
