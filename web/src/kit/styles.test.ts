import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SHEET = fileURLToPath(import.meta.resolve('@mantine/core/styles/global.layer.css'));
const SOURCES = join(import.meta.dirname, '..');
const PACKAGE = join(SHEET, '../..');
/** Sheets of variants that our pages never draw. */
const UNUSED = ['CheckboxCard', 'RadioCard'];

/** Components that the pages import from Mantine. */
function importedComponents(): Set<string> {
  const sources = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).map((file) =>
    readFileSync(join(SOURCES, file), 'utf8'),
  );
  return new Set(
    sources
      .flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)])
      .flatMap(([, names = '']) => names.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type ')),
  );
}

/** Files of Mantine by the components that they export. */
function filesByComponent(): Map<string, string> {
  const index = readFileSync(join(PACKAGE, 'esm/index.mjs'), 'utf8');
  return new Map(
    [...index.matchAll(/import \{([^}]*)\} from "(\.[^"]+)"/g)].flatMap(
      ([, names = '', file = '']) =>
        names.split(',').map((name) => [name.trim().split(' as ').at(-1) ?? '', file] as const),
    ),
  );
}

/** Sheets that a file of Mantine needs, with those of the components that it builds on. */
function addSheets(file: string, sheets: Set<string>, seen: Set<string>): void {
  if (seen.has(file) || !existsSync(file)) return;
  seen.add(file);
  const [, sheet] = /(\w+)\.module\.mjs$/.exec(file) ?? [];
  if (sheet) sheets.add(sheet);
  else
    for (const [, next = ''] of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+)"/g))
      addSheets(join(dirname(file), next), sheets, seen);
}

it('imports the style sheet of each Mantine component that the pages use, and no other', () => {
  const files = filesByComponent();
  const needed = new Set<string>();
  const seen = new Set<string>();
  for (const name of importedComponents())
    addSheets(join(PACKAGE, 'esm', files.get(name) ?? ''), needed, seen);
  const imported = ['styles.css', 'app-styles.css'].flatMap((file) =>
    [
      ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
        /core\/styles\/(\w+)\.layer\.css/g,
      ),
    ].map(([, name = '']) => name),
  );
  expect(needed.size).toBeGreaterThan(20);
  expect(imported.toSorted()).toEqual(
    [...needed, 'baseline', 'global'].filter((name) => !UNUSED.includes(name)).toSorted(),
  );
});
