import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib.mjs';
import { filesOfFeature, listsWith, nameProblem } from './new.mjs';
import { filesOfResource, listsWithResource, nextNumber, resourceNames } from './new-resource.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

it('refuses names that are taken or no folder, and says what to write', () => {
  for (const name of [undefined, '', 'Shifts', 'shift_plans', '../shifts', 'a--b', '-a', '1a'])
    expect(nameProblem(name)).toContain('npm run new -- feature');
  expect(nameProblem('alerts')).toContain('server/src/features/alerts exists');
  expect(nameProblem('home')).toContain('web/src/console/features/home exists');
  expect(nameProblem('shift-plans2')).toBeUndefined();
});

it.each([
  ['feature', filesOfFeature('shift-plans')],
  ['resource', filesOfResource('shift-plan', 9_000)],
])('imports only files of the project and of the skeleton of a %s', (_kind, files) => {
  for (const [path, text] of Object.entries(files))
    for (const [, name] of text.matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const target = join(path, '..', name);
      expect([target, target in files || existsSync(join(ROOT, target))]).toEqual([target, true]);
    }
});

it.each([
  ['feature', listsWith('shift-plans', read), 3],
  ['resource', listsWithResource('shift-plan', read), 4],
])('adds a %s at the end of the lists, and keeps everything else', (_kind, lists, count) => {
  expect(Object.keys(lists)).toHaveLength(count);
  for (const [path, text] of Object.entries(lists)) {
    const added = text.split('\n').filter((line) => !read(path).split('\n').includes(line));
    expect(added.length).toBeGreaterThan(0);
    for (const line of added) expect(line).toMatch(/shift[-_]?plan/i);
    const rest = text.split('\n').filter((line) => !added.includes(line));
    expect(rest.join('\n')).toBe(read(path));
  }
});

it('names the table, folder and migration of a resource', () => {
  expect(resourceNames('shift-plan')).toMatchObject({
    folder: 'shift-plans',
    resource: 'shift_plan',
    path: 'common/shift-plans',
  });
  expect(['policy', 'box', 'day'].map((name) => resourceNames(name).folder)).toEqual([
    'policies',
    'boxes',
    'days',
  ]);
  expect(nextNumber(['1001_a.sql', '1931_b.sql', 'bridge'])).toBe(1_932);
  expect(nameProblem('Shift', 'resource')).toContain('npm run new -- resource shift-plan');
  expect(nameProblem('agent', 'resource')).toContain('server/src/features/agents exists');
});
