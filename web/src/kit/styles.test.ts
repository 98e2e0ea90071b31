import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SHEET = fileURLToPath(import.meta.resolve('@mantine/core/styles/global.layer.css'));
const SOURCES = join(import.meta.dirname, '..');
const PACKAGE = join(SHEET, '../..');
/** Sheets of variants that our pages never draw. */
const UNUSED = ['CheckboxCard', 'RadioCard'];

/** Packages of Mantine with components. They build on each other. */
const PACKAGES = ['core', 'dates', 'modals', 'notifications'];

/** Names of components that a text imports from a package. */
const namesFrom = (text: string, name: string): string[] =>
  [...text.matchAll(/import \{([^}]*)\} from ['"]@mantine\/(\w+)['"]/g)]
    .filter(([, , from]) => from === name)
    .flatMap(([, names = '']) => names.split(','))
    .map((one) => one.trim().split(' as ')[0] ?? '')
    .filter((one) => one !== '' && !one.startsWith('type '));

/** Files of a package by the components that they export. */
function filesByComponent(name: string): ReadonlyMap<string, string> {
  const folder = join(PACKAGE, '..', name, 'esm');
  const index = readFileSync(join(folder, 'index.mjs'), 'utf8');
  return new Map(
    [...index.matchAll(/import \{([^}]*)\} from "(\.[^"]+)"/g)].flatMap(
      ([, names = '', file = '']) =>
        names
          .split(',')
          .map((one) => [one.trim().split(' as ').at(-1) ?? '', join(folder, file)] as const),
    ),
  );
}
const FILES = new Map(PACKAGES.map((name) => [name, filesByComponent(name)]));

/** Adds the sheets of core that a text needs for the components that it imports. */
function addImported(text: string, sheets: Set<string>, seen: Set<string>): void {
  for (const [name, files] of FILES)
    for (const component of namesFrom(text, name))
      addSheets(files.get(component) ?? '', sheets, seen);
}

/** Adds the sheets of core that a file of Mantine needs, also for components in it. */
function addSheets(file: string, sheets: Set<string>, seen: Set<string>): void {
  if (seen.has(file) || !existsSync(file)) return;
  seen.add(file);
  const [, sheet] = /core\/esm\/.*?(\w+)\.module\.mjs$/.exec(file) ?? [];
  if (sheet) {
    sheets.add(sheet);
    return;
  }
  const text = readFileSync(file, 'utf8');
  addImported(text, sheets, seen);
  for (const [, next = ''] of text.matchAll(/from "(\.[^"]+)"/g))
    addSheets(join(dirname(file), next), sheets, seen);
}

it('imports the style sheet of each Mantine component that the pages use, and no other', () => {
  const needed = new Set<string>();
  const seen = new Set<string>();
  const imported: string[] = [];
  for (const file of globSync('**/*.{ts,tsx,css}', { cwd: SOURCES })) {
    const text = readFileSync(join(SOURCES, file), 'utf8');
    addImported(text, needed, seen);
    for (const [, name = ''] of text.matchAll(
      /import ["']@mantine\/core\/styles\/(\w+)\.layer\.css/g,
    ))
      imported.push(name);
  }
  expect(needed.size).toBeGreaterThan(20);
  expect(imported.toSorted()).toEqual(
    [...needed, 'baseline', 'global'].filter((name) => !UNUSED.includes(name)).toSorted(),
  );
});
