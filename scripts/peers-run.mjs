// The peers that the tests of a run used, with their versions.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from './lib.mjs';

const FILE = join(tmpdir(), `sallyport-peers-${process.pid}`);

/** Environment in which tests note their peers (server/src/testing/peers.ts). */
export const NOTES_PEERS = { SALLYPORT_TEST_PEERS: FILE };

/** Prints one line per noted peer. A name without a version is a Debian package. */
export function sayPeers() {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  rmSync(FILE, { force: true });
  const peers = [...new Set(text.split('\n').filter(Boolean))].sort();
  if (peers.length === 0) return;
  say('\nPeers of this run:');
  for (const peer of peers) say(`  ${peer.includes(' ') ? peer : `${peer} ${versionOf(peer)}`}`);
}

function versionOf(name) {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '$' + '{Version}', name], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout : '(not a package of this machine)';
}
