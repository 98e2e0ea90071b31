// Types of all TypeScript programs. A program passes again until a file that it can read changes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, digest, NODE, ROOT, runQuietly } from './lib.mjs';
import { changedSince } from './passed.mjs';
import { projectFiles } from './source-files.mjs';

/** The programs, with the folders that none of their files imports. */
const PROGRAMS = {
  // Contains the server.
  bench: /^(web|e2e|sallyctl)\//,
  web: /^(server|bench|demo|e2e|sallyctl)\//,
  e2e: /^(bench|sallyctl)\//,
  contract: /^(packages|server|bench|demo|web|e2e|sallyctl)\//,
  sallyctl: /^(packages|server|bench|demo|web|e2e)\//,
  packages: /^(server|bench|demo|web|e2e|sallyctl)\//,
};

/** Checks each program that has changed since it passed, all at the same time. */
export function checkTypes() {
  const files = projectFiles(/\.(ts|tsx|json)$/);
  const contents = new Map(files.map((file) => [file, digest([readFileSync(join(ROOT, file))])]));
  const stateOf = (folder) =>
    digest([
      folder,
      ...files
        .filter((file) => !PROGRAMS[folder].test(file))
        .flatMap((file) => [file, contents.get(file)]),
    ]);
  return Object.keys(PROGRAMS).map(async (folder) => {
    const title = folder === 'bench' ? 'types of server and bench' : `types of ${folder}`;
    const { changed, keep } = changedSince(`types/${folder}.json`, [[folder, stateOf(folder)]]);
    if (changed.length === 0) return { title, status: 0, output: '' };
    const result = await runCompiler(folder);
    if (result.status === 0) keep();
    return { title, ...result };
  });
}

/** Several checkers in one process would each derive the same types. */
const runCompiler = (folder) =>
  runQuietly(NODE, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    folder,
    '--checkers',
    '1',
    '--incremental',
    '--tsBuildInfoFile',
    join(CACHE, `types/${folder}.tsbuildinfo`),
  ]);
