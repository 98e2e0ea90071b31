// Holds the directions of dependency: who may import whom. Lower layers know nothing of higher ones.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT } from './lib.mjs';

/** Each layer, by the beginning of its paths (the longest wins), and the layers it may import beside itself. */
const LAYERS = [
  { path: 'contract/src/', may: [] },
  { path: 'server/src/config.ts', may: [] },
  { path: 'server/src/platform/', may: ['contract/src/', 'server/src/config.ts'] },
  { path: 'server/src/http/', may: ['contract/src/', 'server/src/config.ts', 'server/src/platform/'] },
  { path: 'server/src/features/', may: ['contract/src/', 'server/src/config.ts', 'server/src/platform/', 'server/src/http/'] },
  // The gateway's core knows nobody; its adapters join it to the rest.
  { path: 'server/src/gateway/', may: ['contract/src/', 'server/src/config.ts', 'server/src/platform/'] },
  {
    path: 'server/src/gateway/adapters/',
    may: ['contract/src/', 'server/src/config.ts', 'server/src/platform/', 'server/src/http/', 'server/src/features/', 'server/src/gateway/'],
  },
  { path: 'server/src/', may: ['*'] },
  { path: 'web/src/kit/', may: ['contract/src/'] },
  { path: 'web/src/console/', may: ['contract/src/', 'web/src/kit/'] },
  { path: 'web/src/terminal/', may: ['contract/src/', 'web/src/kit/'] },
  { path: 'web/src/signin/', may: ['contract/src/', 'web/src/kit/'] },
  { path: 'e2e/', may: ['*'] },
  { path: 'bench/', may: ['*'] },
];

/** Tests may reach for the program and the builders. */
const isTest = (path) => /\.test\.tsx?$/.test(path) || path.includes('/testing/');

const layerOf = (path) => LAYERS.filter((layer) => path.startsWith(layer.path)).sort((a, b) => b.path.length - a.path.length)[0];

function filesBelow(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g;

/** Every import that goes against the directions, one line each. */
export function findViolations() {
  const violations = [];
  for (const path of ['contract', 'server', 'web', 'e2e', 'bench'].flatMap(filesBelow)) {
    if (isTest(path)) continue;
    const layer = layerOf(path);
    if (!layer || layer.may.includes('*')) continue;
    for (const [, named, bare] of readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)) {
      const target = named ?? bare;
      const file = target.startsWith('.')
        ? relative(ROOT, resolve(ROOT, dirname(path), target))
        : target.startsWith('@sallyport/contract')
          ? 'contract/src/'
          : undefined;
      if (file === undefined) {
        if (path.startsWith('contract/src/')) violations.push(`${path}: the contract imports no package, but ${target}`);
        continue;
      }
      const other = layerOf(file);
      if (other && other !== layer && !layer.may.includes(other.path)) violations.push(`${path}: ${layer.path} may not import ${other.path} (${target})`);
    }
  }
  return violations;
}
