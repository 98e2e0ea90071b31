/**
 * ssh2 silently closes a connection on a packet above 35,000 bytes; OpenSSH accepts 256 KiB. The
 * limit is a constant, which this module patches while ssh2 loads.
 */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';
import { PACKET_LIMIT } from './internals.ts';

/** The limit of OpenSSH. */
const MAX_PACKET_BYTES = 256 * 1024;

/**
 * Runs `load`, during which ssh2 reads that file. Without module hooks (Node below 23.5) ssh2 keeps
 * its limit.
 */
export function withLargePackets(load: () => void): void {
  if (typeof modules.registerHooks !== 'function') {
    load();
    return;
  }
  const hooks = modules.registerHooks({
    load(url, context, next) {
      if (!url.endsWith(PACKET_LIMIT.file)) return next(url, context);
      const source = readFileSync(fileURLToPath(url), 'utf8');
      if (!source.includes(PACKET_LIMIT.text)) throw new Error('ssh2 has changed inside');
      const changed = source.replace(
        PACKET_LIMIT.text,
        `const MAX_PACKET_SIZE = ${MAX_PACKET_BYTES};`,
      );
      return { format: 'commonjs', source: changed, shortCircuit: true };
    },
  });
  try {
    load();
  } finally {
    hooks.deregister();
  }
}
