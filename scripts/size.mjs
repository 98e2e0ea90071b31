// The size of the core, which docs/size.md limits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest } from './imports.mjs';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const PRODUCT = /^(contract|packages|server|sallyctl|demo|web|scripts)\/.*\.(ts|tsx|css|sql|mjs)$/;
/** Styles, statements and words are no code; scripts are no part of the program. */
const NOT_COUNTED = /\.(css|sql)$|(^|\/)words(-[\w-]+)?\.ts$|^scripts\//;
const PAGE = 'docs/size.md';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Paths of the product without its tests. */
export const productFiles = () =>
  projectFiles(PRODUCT).filter((path) => !isTest(path) && !/\.test\.mjs$/.test(path));

/** Names of the features that an installation can do without. */
const optionalNames = () => {
  const [, list = ''] = read('contract/src/features/features.ts').split('OPTIONAL_FEATURES = {');
  return [...list.matchAll(/^ {2}'?([\w-]+)'?: /gm)].map(([, name]) => name);
};
const OPTIONAL = new Set(optionalNames());

/** Returns true for a file of a feature that an installation can do without. */
export const isOptional = (path) => {
  const [, feature = ''] = /\/features\/([^/]+)\//.exec(path) ?? [];
  return OPTIONAL.has(feature);
};

/** Thousand characters of the files that `isCounted`, without words, styles and SQL files. */
const charactersOf = (isCounted) =>
  Math.round(
    productFiles()
      .filter((path) => !NOT_COUNTED.test(path) && isCounted(path))
      .reduce((sum, path) => sum + read(path).length, 0) / 1_000,
  );

/** Thousand characters of the core: the product without tests and optional features. */
export const coreCharacters = () => charactersOf((path) => !isOptional(path));
export const optionalCharacters = () => charactersOf(isOptional);

/** Refuses a core above the limit of docs/size.md. */
export const findGrowth = () => growthAbove(read(PAGE), coreCharacters());

/** Compares a count with the last row of the page: date, limit, reason. */
export function growthAbove(page, count) {
  const rows = [
    ...page.matchAll(/^\| (\d{4}-\d{2}-\d{2}) \| (\d{1,3}(?:,\d{3})*) \| +(\S.*?) +\|$/gm),
  ];
  const last = rows.at(-1);
  if (!last) return [`${PAGE} has no row with date, limit and reason`];
  const unordered = rows.filter(([, date], at) => at > 0 && date < rows[at - 1][1]);
  if (unordered.length > 0) return [`${PAGE}: the row of ${unordered[0][1]} is below a later one`];
  const limit = Number(last[2].replaceAll(',', ''));
  return count > limit
    ? [
        `the core has ${count} thousand characters, ${PAGE} allows ${limit}: make it smaller, or add a row with the reason`,
      ]
    : [];
}
