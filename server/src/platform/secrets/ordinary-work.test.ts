import { runs } from '@sallyport/property-runs';
import { describe, expect, it } from 'vitest';
import { OutputMask } from './output-mask.ts';
import { Maker, randomFrom } from './testing/maker.ts';
import { makeWork, recordedWork } from './testing/ordinary.ts';

const { seed } = runs();
const m = new Maker(randomFrom(seed));

/** Returns the lines that masking changes. `length` is the size of each chunk. */
function changedLines(work: string, length: () => number, isSlow: () => boolean): string[] {
  const output = Buffer.from(work.replaceAll('\n', '\r\n'));
  const parts: Buffer[] = [];
  const mask = new OutputMask({
    cols: 160,
    known: [],
    now: () => 0,
    onOutput: (part) => parts.push(part),
  });
  for (let from = 0; from < output.length; ) {
    const to = from + length();
    mask.push(output.subarray(from, to));
    if (isSlow()) mask.flush();
    from = to;
  }
  mask.flush();
  const after = Buffer.concat(parts).toString('utf8').split('\r\n');
  return work.split('\n').filter((line, index) => line !== after[index]);
}

const WORK: Readonly<Record<string, () => string>> = {
  'recorded work': recordedWork,
  'made work': () => makeWork(m, 20_000),
};

describe.each(Object.entries(WORK))(`%s (seed ${seed})`, (_name, make) => {
  const work = make();

  it('marks at most one line of it', () => {
    expect(work.length).toBeGreaterThan(700_000);
    expect(
      changedLines(
        work,
        () => 16_384,
        () => false,
      ).length,
    ).toBeLessThanOrEqual(1);
    const changed = changedLines(
      work,
      () => 1 + m.below(2000),
      () => false,
    );
    expect(changed.length, changed.join('\n')).toBeLessThanOrEqual(1);
  });

  it('marks at most one line of it when chunks arrive slowly', () => {
    const changed = changedLines(
      work,
      () => 1 + m.below(2000),
      () => m.below(4) === 0,
    );
    expect(changed.length, changed.join('\n')).toBeLessThanOrEqual(1);
  });
});
