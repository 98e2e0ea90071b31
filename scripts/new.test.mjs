import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib.mjs';
import { filesOfFeature, listsWith, nameProblem } from './new.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

it('refuses names that are taken or no folder, and says what to write', () => {
  for (const name of [undefined, '', 'Shifts', 'shift_plans', '../shifts', 'a--b', '-a', '1a'])
    expect(nameProblem(name)).toContain('npm run new -- feature');
  expect(nameProblem('alerts')).toContain('server/src/features/alerts exists');
  expect(nameProblem('home')).toContain('web/src/console/features/home exists');
  expect(nameProblem('shift-plans2')).toBeUndefined();
});

it('imports only files of the project and of the skeleton', () => {
  const files = filesOfFeature('shift-plans');
  for (const [path, text] of Object.entries(files))
    for (const [, name] of text.matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const target = join(path, '..', name);
      expect([target, target in files || existsSync(join(ROOT, target))]).toEqual([target, true]);
    }
});

it('adds the module and the screens at the end of their lists, and keeps everything else', () => {
  const lists = listsWith('shift-plans', read);
  expect(Object.keys(lists)).toHaveLength(3);
  for (const [path, text] of Object.entries(lists)) {
    const added = text.split('\n').filter((line) => !read(path).split('\n').includes(line));
    expect(added.length).toBeGreaterThan(0);
    for (const line of added) expect(line).toMatch(/shift-?plans/i);
    const rest = text.split('\n').filter((line) => !added.includes(line));
    expect(rest.join('\n')).toBe(read(path));
  }
});
