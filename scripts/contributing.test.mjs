// The steps of "Adding a feature" in CONTRIBUTING.md hold for the feature that they show.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const [, section = ''] = read('CONTRIBUTING.md').split('\n## Adding a feature\n');
const steps = section
  .split('\n## ')[0]
  .split('\n')
  .filter((line) => /^\d\. /.test(line));
const pathsIn = (step) =>
  [...step.matchAll(/`((?:contract|server|web)\/[^`{]+)`/g)].map((m) => m[1]);
const server = read('server/src/features/alerts/index.ts');

/** The check of each step, by its first words. */
const CHECKS = {
  'A rule'() {
    const [, list = ''] = /tables: \[([^\]]+)\]/.exec(server) ?? [];
    const tables = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    expect(tables.length).toBeGreaterThan(0);
    const folder = 'server/src/migrations';
    const migrations = readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.sql'))
      .map((name) => read(`${folder}/${name}`))
      .join('\n');
    for (const table of tables) expect(migrations).toContain(`create table ${table} (`);
  },
  'A page'() {
    const screens = read('web/src/console/screens/index.ts');
    expect(screens).toContain('PARTS: readonly Parts[] = [emergencyParts]');
    expect(screens).toContain("'../features/alerts/index.ts'");
    for (const part of ['screens.ts', 'words.ts'])
      expect(existsSync(join(ROOT, 'web/src/console/features/alerts', part))).toBe(true);
  },
  'A setting'() {
    const settings = read('contract/src/settings/settings.ts');
    expect(settings).toContain('...ALERT_SETTINGS');
    expect(server).toContain('use(settings)');
    expect(read('server/src/features/alerts/sign-ins.ts')).toContain("settings.get('ALERT_");
    expect(read('server/src/features/saml/index.ts')).toContain(".addRule('saml'");
  },
  'A reminder'(step) {
    const [kind] = /unseen_alerts/.exec(read('server/src/features/alerts/attention.ts')) ?? [];
    for (const path of pathsIn(step))
      expect([path, read(path)]).toMatchObject([path, expect.stringContaining(kind)]);
  },
  Retention() {
    for (const part of ['expiry: {', 'jobs: [']) expect(server).toContain(part);
  },
  'Off switch'() {
    const [, list = ''] = read('contract/src/features/features.ts').split('OPTIONAL_FEATURES = {');
    expect(list).toMatch(/^ {2}alerts: \{/m);
    const protecting = read('server/src/features/emergency/index.ts');
    for (const part of ['countRules:', 'suspend:']) expect(protecting).toContain(part);
  },
};

it('has a check for each step', () => {
  expect(steps.map((step) => /^\d\. \*\*(.+?):?\*\*/.exec(step)?.[1])).toEqual(Object.keys(CHECKS));
});

it.each(Object.keys(CHECKS))('shows a step that the feature has: %s', (name) => {
  const step = steps.find((line) => line.includes(`**${name}`)) ?? '';
  for (const path of pathsIn(step))
    expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  CHECKS[name](step);
});
