import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/test-database');
/** Sources of the template: PostgreSQL and pg-boss, schema, roles, and recipe. */
const SOURCES = [
  'package-lock.json',
  'server/src/migrations',
  'server/src/platform/db',
  'server/src/platform/jobs',
  'server/src/testing/template-server.ts',
];

function digestOfSources(): string {
  // An account cannot start a server that another account created.
  const hash = createHash('sha256').update(String(process.getuid?.()));
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    const files = source.includes('.')
      ? [path]
      : readdirSync(path, { recursive: true, encoding: 'utf8' })
          .sort()
          .map((name) => join(path, name));
    for (const file of files)
      if (/(?<!\.test)\.(sql|ts|json)$/.test(file))
        hash.update(file.slice(ROOT.length)).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * Returns the data folder of a stopped server with the migrated template. Test runs share it until
 * one of its sources changes.
 */
export async function ensureTemplateServer(): Promise<string> {
  const name = digestOfSources();
  const kept = join(CACHE, name);
  if (existsSync(kept)) return kept;
  await mkdir(CACHE, { recursive: true });
  for (const old of await readdir(CACHE))
    if (!old.startsWith(name)) await rm(join(CACHE, old), { recursive: true, force: true });
  const parent = await mkdtemp(join(tmpdir(), 'sallyport-template-'));
  try {
    await chmod(parent, 0o711);
    const folder = join(parent, 'server');
    await mkdir(folder, { mode: 0o711 });
    // Import late: it loads the whole program.
    const { buildTemplateServer } = await import('./template-server.ts');
    await buildTemplateServer(folder);
    const fresh = `${kept}.${process.pid}`;
    execFileSync('cp', ['-a', folder, fresh]);
    try {
      await rename(fresh, kept);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      // Another run was faster.
      if (!existsSync(kept)) throw error;
    }
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
  return kept;
}
