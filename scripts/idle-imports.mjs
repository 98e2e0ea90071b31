// Checks that an idle server does not load client libraries: the first connection loads them, which
// saves memory.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf } from './imports.mjs';
import { ROOT } from './lib.mjs';

/** Modules that only connections need. */
const AT_USE = [
  'server/src/gateway/protocols/ssh/ssh.ts',
  'server/src/gateway/protocols/telnet/',
  'server/src/gateway/protocols/rdp/',
  'server/src/gateway/protocols/vnc/',
  'packages/rdp/',
  'packages/vnc/',
  'server/src/gateway/protocols/drivers/',
  'server/src/gateway/listeners/ssh/speaker.ts',
  'server/src/gateway/listeners/web/terminal-socket.ts',
  'server/src/gateway/sessions/terminal/',
  'server/src/gateway/sessions/desktop/',
  'server/src/gateway/sessions/database/',
  'server/src/gateway/sessions/files/file-session.ts',
  'server/src/gateway/remote/run-on-hosts.ts',
];

/** Imports that are loaded with their file: neither types nor `import()`. */
const STATIC =
  /(?:^|\n)(?:import|export)\s(?!type\b)[^'";]*?from '([^']+)'|(?:^|\n)import '([^']+)'/g;

/** The files that are loaded with another one, itself included. */
export function loadedWith(start) {
  const loaded = new Set([start]);
  for (const path of loaded) {
    for (const [, named, bare] of readFileSync(join(ROOT, path), 'utf8').matchAll(STATIC)) {
      const file = fileOf(path, named ?? bare);
      if (file && existsSync(join(ROOT, file))) loaded.add(file);
    }
  }
  return loaded;
}

/** Every file that the start loads and should not, one line each. */
export function findEarlyImports() {
  const loaded = [
    ...new Set([...loadedWith('server/src/main.ts'), ...loadedWith('server/src/program.ts')]),
  ];
  return loaded
    .filter((path) => AT_USE.some((each) => path.startsWith(each)))
    .map((path) => `${path} is loaded at the start of the server, and not at its first use`);
}
