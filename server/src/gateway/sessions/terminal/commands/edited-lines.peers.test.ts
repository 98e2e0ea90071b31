import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitOf, runs } from '@sallyport/property-runs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requirePeers } from '../../../../testing/peers.ts';
import {
  EDITING_SHELLS,
  editedLines,
  typeEditedLines,
} from '../../../../testing/terminals/edited-lines.ts';

const MUSL = '/lib/x86_64-linux-musl/libc.a';
const { numRuns, seed } = runs(200);
let folder: string;
beforeAll(async () => {
  requirePeers('zsh', 'fish', 'busybox', 'musl-dev', 'binutils');
  folder = await mkdtemp(join(tmpdir(), 'sallyport-musl-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// zsh 5.9 writes unknown characters as codes, and busybox 1.35.0 writes letters beyond its table as
// question marks. fish 3.6.0 has its own table of widths and shows suggestions.
it.each(['zsh', 'fish', 'busybox'] as const)(
  'reads and logs edited lines of 40 scripts as %s runs them, or refuses them',
  async (name) => {
    const run = await typeEditedLines(EDITING_SHELLS[name], editedLines(numRuns, seed));
    expect(run.differences).toEqual([]);
    expect(run.plain).toBeGreaterThan(0);
    expect(run.plainRefused).toEqual([]);
  },
  limitOf(numRuns * 1000),
);

it(
  'reads and logs edited lines of 40 scripts as bash with the widths of musl runs them',
  async () => {
    const members = ['wcwidth.lo', 'wcswidth.lo'];
    execFileSync('ar', ['x', MUSL, ...members], { cwd: folder });
    execFileSync('ld', ['-shared', '-o', 'musl.so', ...members], { cwd: folder });
    const run = await typeEditedLines(EDITING_SHELLS.bash, editedLines(numRuns, seed), {
      LD_PRELOAD: join(folder, 'musl.so'),
    });
    expect(run.differences).toEqual([]);
    expect(run.plainRefused).toEqual([]);
  },
  limitOf(numRuns * 1000),
);
