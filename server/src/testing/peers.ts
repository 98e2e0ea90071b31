import { appendFileSync, existsSync } from 'node:fs';
import peers from '../../../scripts/peers.json' with { type: 'json' };

/** A Debian package that tests of the second ring use. */
export type Peer = keyof typeof peers;

/**
 * Checks that programs of Debian packages are installed. A module that calls this belongs to the
 * second ring of tests, and so does each test that imports it (scripts/rings.mjs).
 * @throws Error that names the command to install the missing packages
 */
export function requirePeers(...packages: readonly Peer[]): void {
  const missing = packages.filter((name) => !existsSync(peers[name]));
  if (missing.length === 0) {
    notePeers(...packages);
    return;
  }
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  throw new Error(`This test needs ${missing.join(', ')}. Install with: ${command}`);
}

/** Notes names of Debian packages, or names with versions, for the end of the run. */
export function notePeers(...peers: readonly string[]): void {
  const file = process.env.SALLYPORT_TEST_PEERS;
  if (file) appendFileSync(file, peers.map((peer) => `${peer}\n`).join(''));
}
