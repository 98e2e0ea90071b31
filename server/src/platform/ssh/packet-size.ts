/**
 * ssh2 ends a connection without a word when a packet is longer than 35,000 bytes; OpenSSH takes 256 KiB. The limit is a constant of one of its
 * files, which is changed while it loads.
 */
import * as modules from 'node:module';

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
      const loaded = next(url, context);
      if (!url.endsWith(FILE) || loaded.source === undefined || loaded.source === null) return loaded;
      const source = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8');
      if (!source.includes(OURS)) throw new Error('ssh2 has changed inside');
      return { ...loaded, source: source.replace(OURS, `const MAX_PACKET_SIZE = ${MAX_PACKET_BYTES};`) };
    },
  });
  try {
    load();
  } finally {
    hooks.deregister();
  }
}
