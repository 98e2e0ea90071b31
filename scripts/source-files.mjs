// The source files of the project, for checks that read them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';

const SOURCE = /\.(ts|tsx|mjs|css|sql|html)$/;

/** Paths from the root that git tracks, and new ones that git does not ignore. */
export function sourceFiles() {
  return projectFiles(SOURCE);
}

/** Listed once: the check asks for many patterns. */
let listed;

/** The files whose path matches, from the root. */
export function projectFiles(pattern) {
  listed ??= execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\n')
    .filter((file) => existsSync(join(ROOT, file)));
  return listed.filter((file) => pattern.test(file));
}
