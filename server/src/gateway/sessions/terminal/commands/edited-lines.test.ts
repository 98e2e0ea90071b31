import { limitOf, runs } from '@sallyport/property-runs';
import { expect, it } from 'vitest';
import {
  EDITING_SHELLS,
  editedLines,
  typeEditedLines,
} from '../../../../testing/terminals/edited-lines.ts';

const { numRuns, seed } = runs(240);

it(
  'reads and logs edited lines of 40 scripts as bash runs them, or refuses them',
  async () => {
    const run = await typeEditedLines(EDITING_SHELLS.bash, editedLines(numRuns, seed));
    expect(run.differences).toEqual([]);
    expect(run.plain).toBeGreaterThan(0);
    expect(run.plainRefused).toEqual([]);
  },
  limitOf(numRuns * 1000),
);
