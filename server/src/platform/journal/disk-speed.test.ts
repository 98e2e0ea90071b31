import { expect, it } from 'vitest';
import { DiskSpeed } from './disk-speed.ts';

/** Counts writes until one may run on the main thread. */
function writesUntilQuick(speed: DiskSpeed, milliseconds: number): number {
  let count = 0;
  while (!speed.isQuick(100) && count < 10_000) {
    speed.took(milliseconds, false);
    count++;
  }
  return count;
}

it('uses the main thread after a series of quick writes, for small writes', () => {
  const speed = new DiskSpeed();
  expect(speed.isQuick(100)).toBe(false);
  expect(writesUntilQuick(speed, 0.1)).toBe(16);
  expect(speed.isQuick(100_000)).toBe(false);
});

it('leaves all writes of a slow disk to the other thread', () => {
  expect(writesUntilQuick(new DiskSpeed(), 1)).toBe(10_000);
});

it('waits longer after each slow write on the main thread', () => {
  const speed = new DiskSpeed();
  const counts = [1, 2, 3].map(() => {
    const count = writesUntilQuick(speed, 0.1);
    speed.took(2, true);
    expect(speed.isQuick(100)).toBe(false);
    return count;
  });
  expect(counts).toEqual([16, 32, 64]);
  for (let turn = 0; turn < 20; turn++) {
    writesUntilQuick(speed, 0.1);
    speed.took(2, true);
  }
  expect(writesUntilQuick(speed, 0.1)).toBe(4096);
});

it('tolerates a single write that waited for a processor', () => {
  const speed = new DiskSpeed();
  writesUntilQuick(speed, 0.1);
  for (const milliseconds of [0.02, 0.02, 1, 0.02]) speed.took(milliseconds, true);
  expect(speed.isQuick(100)).toBe(true);
  for (let write = 0; write < 8; write++) speed.took(0.3, true);
  expect(speed.isQuick(100)).toBe(false);
});

it('forgets slow writes after many quick ones', () => {
  const speed = new DiskSpeed();
  writesUntilQuick(speed, 0.1);
  speed.took(2, true);
  writesUntilQuick(speed, 0.1);
  for (let write = 0; write < 5000; write++) speed.took(0.01, true);
  speed.took(2, true);
  expect(writesUntilQuick(speed, 0.1)).toBe(32);
});
