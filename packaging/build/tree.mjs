// The program as a folder that runs on a machine with nothing but glibc: Node, the bundled server,
// the built console, PostgreSQL.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fail, NODE, ROOT, run, sayProgress } from '../../scripts/lib.mjs';
import { createSbom, shippedPackages } from '../../scripts/sbom.mjs';
import { addPackages, licenseTexts } from './contents.mjs';

/** Writes a file of the package as JSON. */
export const asJson = (value) => `${JSON.stringify(value, undefined, 2)}\n`;

function build(folder, target, ...words) {
  const vite = [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'];
  const status = run(NODE, [...vite, '--outDir', target, '--emptyOutDir', ...words], {
    cwd: join(ROOT, folder),
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) fail(`${folder} could not be built.`);
}

/** Builds the parts of the program that are the same on every platform. */
export function buildParts(folder) {
  sayProgress('Building the console …');
  build('web', join(folder, 'web/dist'));
  sayProgress('Bundling the server …');
  build(
    'server',
    join(folder, 'server/dist'),
    '--config',
    '../packaging/program/bundle.config.mjs',
  );
  sayProgress('Bundling sallyctl …');
  build('sallyctl', join(folder, 'sallyctl/dist'), '--config', 'bundle.config.mjs');
}

/** The script and the page that prove evidence, for people to keep elsewhere. */
function copyEvidence(tree) {
  const folder = join(tree, 'evidence');
  mkdirSync(folder);
  const sources = join(ROOT, 'scripts/evidence');
  for (const name of readdirSync(sources).filter((one) => one.endsWith('.mjs')))
    cpSync(join(sources, name), join(folder, name));
  const assets = join(tree, 'web/dist/static/app');
  const page = readdirSync(assets).find((name) => /^evidence-verifier-.*\.html$/.test(name));
  if (!page) fail('The page that proves evidence was not built.');
  cpSync(join(assets, page), join(folder, 'verifier.html'));
}

/** Entries below a folder in order, deepest first. */
function entriesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [...entriesBelow(path), { entry, path }] : [{ entry, path }];
  });
}

/** Programs; everything else is data. */
const PROGRAMS = /^(sallyport|bin\/node|.*\/native\/bin\/\w+)$/;

/**
 * Makes the tree of a platform from the built parts. Modes do not depend on the umask or on npm.
 *
 * @returns the number of files and their bytes
 */
export function makeTree(tree, parts, { platform, version, commit }) {
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  cpSync(parts, tree, { recursive: true });
  const copy = (path, isKept = () => true) =>
    cpSync(join(ROOT, path), join(tree, path), { recursive: true, filter: isKept });
  copy('server/src/migrations', (path) => !/\.test\.ts$/.test(path));
  // The samples of --demo.
  copy('demo', (path) => !/\.\w+$/.test(path) || /\.(sql|cast)$/.test(path));
  for (const name of ['LICENSE', 'CHANGELOG.md', 'VERSION']) copy(name);
  copyEvidence(tree);
  copy('docs/operator-guide');
  cpSync(join(ROOT, 'packaging/clients'), join(tree, 'clients'), { recursive: true });
  cpSync(join(ROOT, 'packaging/opentofu'), join(tree, 'opentofu'), { recursive: true });
  cpSync(join(ROOT, 'packaging/program/sallyport'), join(tree, 'sallyport'));
  const { name, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const description = { name, version, private: true, license, type: 'module' };
  writeFileSync(join(tree, 'package.json'), asJson(description));
  writeFileSync(
    join(tree, 'server/package.json'),
    asJson({ ...description, name: `${name}-server` }),
  );
  writeFileSync(join(tree, 'server/dist/build.json'), asJson({ commit, package: platform }));
  writeFileSync(join(tree, 'LICENSES-OF-PACKAGES.txt'), `${licenseTexts()}\n`);
  writeFileSync(join(tree, 'sbom.cdx.json'), asJson(createSbom(shippedPackages())));
  addPackages(tree, platform);
  let [files, bytes] = [0, 0];
  for (const { entry, path } of entriesBelow(tree)) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = PROGRAMS.test(path.slice(tree.length + 1));
    chmodSync(path, entry.isDirectory() || isProgram ? 0o755 : 0o644);
    if (!entry.isFile()) continue;
    files += 1;
    bytes += readFileSync(path).length;
  }
  return { files, bytes };
}
