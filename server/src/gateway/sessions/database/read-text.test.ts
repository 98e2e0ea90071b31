import { expect, it } from 'vitest';
import { MAX_CHECKED } from '../../limits.ts';
import { cutText, readText } from './read-text.ts';

const USER = 'reader';
const KIBIBYTE = 1024;
/** A statement of a length that changes every row: a long value, and no condition. */
const sweeping = (length: number) => {
  const [before, after] = ["update item set note = '", "'"];
  return `${before}${'x'.repeat(length - before.length - after.length)}${after}`;
};

it.each([1, 15, 17, 64, 127])(
  'finds that a statement of %d KiB without a condition affects every row',
  async (kibibytes) => {
    for (const type of ['postgresql', 'mysql', 'mariadb'] as const) {
      const read = await readText(USER, sweeping(kibibytes * KIBIBYTE), type);
      expect(read?.meanings.map(({ sweep }) => sweep)).toContainEqual({
        act: 'update',
        target: 'item',
      });
      const conditional = `${sweeping(kibibytes * KIBIBYTE)} where id = 1`;
      const harmless = await readText(USER, conditional, type);
      expect(harmless?.meanings.flatMap(({ sweep }) => sweep ?? [])).toEqual([]);
    }
  },
);

it('finds a statement that affects every row in a text above the limit of checked texts', async () => {
  const row = `insert into item (note) values ('${'x'.repeat(KIBIBYTE)}');\n`;
  const script = row.repeat(200) + sweeping(20 * KIBIBYTE);
  expect(script.length).toBeGreaterThan(MAX_CHECKED);
  const cut = await cutText(USER, script, 'postgresql');
  expect(cut?.statements).toHaveLength(201);
  expect(cut?.sweeps).toEqual([{ act: 'update', target: 'item' }]);
});

it('does not ask about a single statement above the limit of checked texts', async () => {
  const cut = await cutText(USER, sweeping(MAX_CHECKED + 10), 'postgresql');
  expect([cut?.statements.length, cut?.sweeps]).toEqual([1, []]);
});
