/**
 * ssh2 ends a connection without a word when a packet is longer than 35,000 bytes; OpenSSH takes 256 KiB. The limit is a constant of one of its
 * files, which is changed while it loads.
 */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const FILE = '/ssh2/lib/protocol/crypto.js';
const OURS = 'const MAX_PACKET_SIZE = 35000;';
/** As OpenSSH has it. */
const MAX_PACKET_BYTES = 256 * 1024;

/** Runs `load`, in which ssh2 reads that file. On a Node without hooks (before 23.5) its own limit stays. */
export function withLargePackets(load: () => void): void {
  if (typeof modules.registerHooks !== 'function') {
    load();
    return;
  }
  const hooks = modules.registerHooks({
    load(url, context, next) {
      if (!url.endsWith(FILE)) return next(url, context);
      const source = readFileSync(fileURLToPath(url), 'utf8');
      if (!source.includes(OURS)) throw new Error('ssh2 has changed inside');
      const changed = source.replace(OURS, `const MAX_PACKET_SIZE = ${MAX_PACKET_BYTES};`);
      return { format: 'commonjs', source: changed, shortCircuit: true };
    },
  });
  try {
    load();
  } finally {
    hooks.deregister();
  }
}
