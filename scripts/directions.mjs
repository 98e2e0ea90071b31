// Checks the directions of dependency: lower layers never import higher ones.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, filesBelow, importsOf, isTest } from './imports.mjs';
import { ROOT } from './lib.mjs';

/** A package imports the contract and other packages only if its manifest names them. */
function packageLayers() {
  const folders = readdirSync(join(ROOT, 'packages'), { withFileTypes: true });
  return folders
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const path = `packages/${name}/`;
      const manifest = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'));
      const names = Object.keys(manifest.dependencies ?? {});
      const may = names.flatMap((target) => fileOf(path, target)?.replace('index.ts', '') ?? []);
      return { path, may };
    });
}

/** The layers below the modules of the server. */
const BELOW_MODULES = [
  'contract/src/',
  'packages/',
  'server/src/config.ts',
  'server/src/platform/',
  'server/src/platform/db/hosts.ts',
  'server/src/resources/',
  'server/src/http/',
];

/**
 * Each layer, by the beginning of its paths (the longest wins), and the layers it may import
 * besides itself.
 */
const LAYERS = [
  { path: 'contract/src/', may: [] },
  ...packageLayers(),
  { path: 'server/src/config-checks.ts', may: ['contract/src/'] },
  { path: 'server/src/config-vault.ts', may: ['server/src/config-checks.ts'] },
  {
    path: 'server/src/config-variables.ts',
    may: [
      'server/src/config-checks.ts',
      'server/src/config-vault.ts',
      'server/src/platform/db/hosts.ts',
    ],
  },
  {
    path: 'server/src/config.ts',
    may: [
      'server/src/config-checks.ts',
      'server/src/config-variables.ts',
      'server/src/config-vault.ts',
    ],
  },
  // Reads the hosts of the database, also for the configuration.
  { path: 'server/src/platform/db/hosts.ts', may: [] },
  {
    path: 'server/src/platform/',
    may: ['contract/src/', 'packages/', 'server/src/config.ts', 'server/src/platform/db/hosts.ts'],
  },
  // http → resources → platform → contract.
  { path: 'server/src/resources/', may: ['contract/src/', 'packages/', 'server/src/platform/'] },
  {
    path: 'server/src/http/',
    may: [
      'contract/src/',
      'packages/',
      'server/src/config.ts',
      'server/src/platform/',
      'server/src/resources/',
    ],
  },
  {
    path: 'server/src/module.ts',
    may: [...BELOW_MODULES],
  },
  {
    path: 'server/src/features/',
    may: [...BELOW_MODULES, 'server/src/features/connections/', 'server/src/module.ts'],
  },
  // Connections to assets are made by the core of the gateway, for jobs and for sessions.
  {
    path: 'server/src/features/connections/',
    may: [...BELOW_MODULES, 'server/src/features/', 'server/src/gateway/', 'server/src/module.ts'],
  },
  // The gateway's core imports no feature; its adapters connect it to the rest.
  {
    path: 'server/src/gateway/',
    may: ['contract/src/', 'packages/', 'server/src/config.ts', 'server/src/platform/'],
  },
  {
    path: 'server/src/gateway/adapters/',
    may: [
      ...BELOW_MODULES,
      'server/src/features/',
      'server/src/features/connections/',
      'server/src/gateway/',
      'server/src/module.ts',
    ],
  },
  { path: 'server/src/', may: ['*'] },
  { path: 'web/src/kit/', may: ['contract/src/'] },
  // Inside the console: what everything uses, then what every resource uses, then the pages, then
  // what joins them.
  { path: 'web/src/console/base/', may: ['contract/src/', 'web/src/kit/'] },
  {
    path: 'web/src/console/resource/',
    may: ['contract/src/', 'web/src/kit/', 'web/src/console/base/'],
  },
  {
    path: 'web/src/console/tree/',
    may: ['contract/src/', 'web/src/kit/', 'web/src/console/base/', 'web/src/console/resource/'],
  },
  {
    path: 'web/src/console/features/',
    may: [
      'contract/src/',
      'web/src/kit/',
      'web/src/console/base/',
      'web/src/console/resource/',
      'web/src/console/tree/',
    ],
  },
  {
    path: 'web/src/console/',
    may: [
      'contract/src/',
      'web/src/kit/',
      ...['base', 'resource', 'tree', 'features'].map((part) => `web/src/console/${part}/`),
    ],
  },
  { path: 'web/src/terminal/', may: ['contract/src/', 'web/src/kit/'] },
  { path: 'web/src/signin/', may: ['contract/src/', 'web/src/kit/'] },
  { path: 'sallyctl/', may: ['contract/src/'] },
  { path: 'demo/', may: ['*'] },
  { path: 'e2e/', may: ['*'] },
  { path: 'bench/', may: ['*'] },
];

const layerOf = (path) =>
  LAYERS.filter((layer) => path.startsWith(layer.path)).sort(
    (a, b) => b.path.length - a.path.length,
  )[0];

/** The features from the bottom up, in the order of server/src/modules.ts. */
function featureOrder() {
  const text = readFileSync(join(ROOT, 'server/src/modules.ts'), 'utf8');
  const folders = new Map(
    [...text.matchAll(/import \{ (\w+) \} from '\.\/features\/([\w-]+)\/index\.ts'/g)].map(
      ([, name, folder]) => [name, folder],
    ),
  );
  const [, list = ''] = /MODULES[^=]*= \[([^\]]*)\]/.exec(text) ?? [];
  return list.split(',').flatMap((name) => folders.get(name.trim()) ?? []);
}

const featureOf = (path) => /^server\/src\/features\/([\w-]+)\//.exec(path)?.[1];

/**
 * Returns faults of an import between two features: an unlisted feature, or an import of a later
 * one.
 */
export function orderProblems(order, path, file) {
  const [from, to] = [featureOf(path), featureOf(file)];
  if (!from || !to || from === to) return [];
  const missing = [from, to].find((feature) => !order.includes(feature));
  if (missing) return [`${path}: the feature ${missing} is not listed in server/src/modules.ts`];
  return order.indexOf(to) < order.indexOf(from)
    ? []
    : [`${path}: ${from} comes before ${to} in server/src/modules.ts and may not import it`];
}

/** Folders of features, and the files that import a feature by its face only. */
const FACES = [
  { feature: /^(server\/src\/features\/[\w-]+)\//, by: /^(server|demo)\// },
  { feature: /^(web\/src\/console\/features\/[\w-]+)\//, by: /^web\/src\// },
];

/** Returns true if a file imports another file of a feature than its `index.ts`. */
export function isInnerImport(path, file) {
  return FACES.some(({ feature, by }) => {
    const [, to] = feature.exec(file ?? '') ?? [];
    return (
      by.test(path) && to !== undefined && !path.startsWith(`${to}/`) && file !== `${to}/index.ts`
    );
  });
}

const isRoutes = (path) => /^server\/src\/features\/.*\b(routes|socket)\.ts$/.test(path);

const STORAGE = 'server/src/platform/storage/';

/** The journal of sessions writes files of this server's disk, too, and uses the same helpers. */
const JOURNAL = 'server/src/platform/journal/';

/**
 * Returns faults of a storage import. Other modules address recordings by session, never by path;
 * only the start picks the storage and its folder.
 */
export function storageProblems(path, file) {
  if (path.startsWith(JOURNAL) && file === `${STORAGE}files.ts`) return [];
  const isAllowed =
    !file?.startsWith(STORAGE) ||
    file === `${STORAGE}recordings.ts` ||
    path.startsWith(STORAGE) ||
    path.startsWith('server/src/start/');
  return isAllowed ? [] : [`${path}: only server/src/start/ may import ${file}; use Recordings`];
}

const packageOf = (path) => /^packages\/([\w-]+)\//.exec(path)?.[1];

/** Returns faults of an import of a package by the path of one of its files. */
export function packageProblems(path, target, file) {
  const name = packageOf(file ?? '');
  if (name === undefined || name === packageOf(path) || !target.startsWith('.')) return [];
  return [`${path}: import @sallyport/${name}, and not its file ${file}`];
}

const FOLDERS = ['contract', 'packages', 'server', 'sallyctl', 'demo', 'web', 'e2e', 'bench'];

/** Every import that goes against the directions, one line each. */
export function findViolations() {
  const violations = [];
  const order = featureOrder();
  for (const path of FOLDERS.flatMap(filesBelow)) {
    const imports = importsOf(path);
    violations.push(...imports.flatMap((each) => packageProblems(path, each.target, each.file)));
    if (isTest(path)) continue;
    violations.push(...imports.flatMap(({ file }) => storageProblems(path, file)));
    violations.push(
      ...imports
        .filter(({ file }) => isInnerImport(path, file))
        .map(({ file }) => `${path}: import the index.ts of the feature, not ${file}`),
    );
    const layer = layerOf(path);
    if (!layer || layer.may.includes('*')) continue;
    for (const { target, file } of imports) {
      if (file === 'server/src/platform/db/sql.ts' && isRoutes(path))
        violations.push(`${path}: routes contain no SQL; put it into a store`);
      if (file === undefined) {
        if (path.startsWith('contract/src/'))
          violations.push(`${path}: the contract imports no package, but ${target}`);
        continue;
      }
      const other = layerOf(file);
      if (other && other !== layer && !layer.may.some((each) => other.path.startsWith(each)))
        violations.push(`${path}: ${layer.path} may not import ${other.path} (${target})`);
      violations.push(...orderProblems(order, path, file));
    }
  }
  return violations;
}
