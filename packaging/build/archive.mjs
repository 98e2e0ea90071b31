// Archives with the same bytes for the same files: entries in order, one time, owner root.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { fail } from '../../scripts/lib.mjs';

const MOST_BYTES = 1024 ** 3;

/**
 * Returns a tar of a folder. Names begin with `prefix`; `epoch` is the time of each entry, in
 * seconds, `owner` the number of user and group, `mode` replaces the modes. GNU tar writes it.
 */
export function tarOf(folder, { prefix = '.', epoch, owner = 0, mode }) {
  const words = [
    '--create',
    '--format=gnu',
    '--sort=name',
    `--owner=:${owner}`,
    `--group=:${owner}`,
    '--numeric-owner',
    `--mtime=@${epoch}`,
    ...(mode ? [`--mode=${mode}`] : []),
    // Not targets of symbolic links.
    `--transform=flags=rSh;s,^\\.,${prefix},`,
    '-C',
    folder,
    '.',
  ];
  const { status, stdout, stderr } = spawnSync('tar', words, { maxBuffer: MOST_BYTES });
  if (status !== 0) fail(`tar could not pack ${folder}: ${stderr}`);
  return stdout;
}

/** Compresses: everything unpacks gzip, old installations of dpkg included. */
export const compressed = (data) => gzipSync(data, { level: 9 });

/** Returns an ar archive, the outer form of a Debian package. */
export function arOf(members, epoch) {
  const parts = members.flatMap(([name, data]) => [
    `${name.padEnd(16)}${String(epoch).padEnd(12)}0     0     100644  ${String(data.length).padEnd(10)}\`\n`,
    data,
    data.length % 2 === 1 ? '\n' : '',
  ]);
  return Buffer.concat(['!<arch>\n', ...parts].map((part) => Buffer.from(part)));
}

export const sha256 = (data) => createHash('sha256').update(data).digest('hex');
