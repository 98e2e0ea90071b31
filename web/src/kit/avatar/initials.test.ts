import { expect, it } from 'vitest';
import { colorOf, initialsOf } from './Avatar.tsx';

it.each([
  ['赵明宇', '明宇'],
  ['李伟(liwei)', '李伟'],
  ['Li Wei', 'LW'],
  ['Anna Maria van Dyk(anna)', 'AD'],
  ['admin', 'A'],
  ['jane.doe', 'JD'],
  ['', ''],
])('shortens %s to %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

it('gives a user one color, and spreads users over all colors', () => {
  const ids = Array.from(
    { length: 200 },
    (_, number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  );
  expect(colorOf(ids[7] ?? '')).toBe(colorOf(ids[7] ?? ''));
  expect(new Set(ids.map(colorOf)).size).toBe(8);
});
