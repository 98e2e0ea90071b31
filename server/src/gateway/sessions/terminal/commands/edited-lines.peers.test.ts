import { limitOf, runs } from '@sallyport/property-runs';
import { beforeAll, expect, it } from 'vitest';
import { requirePeers } from '../../../../testing/peers.ts';
import {
  EDITING_SHELLS,
  editedLines,
  typeEditedLines,
} from '../../../../testing/terminals/edited-lines.ts';

const { numRuns, seed } = runs(200);
beforeAll(() => requirePeers('zsh', 'fish', 'busybox'));

// zsh 5.9 writes characters that it does not know as codes, busybox 1.35.0 all letters beyond its
// table as question marks, and fish 3.6.0 has its own table of widths.
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
