import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DemoAccount, type DemoTarget, generateHostKey, startDemoTarget } from './server.ts';

export interface TargetOptions {
  readonly dataDirectory: string;
  /** Port of the last start. */
  readonly port: number | undefined;
  readonly accounts: readonly DemoAccount[];
}

/** Starts the sandboxed SSH server on its previous port, or on a free one if that is in use. */
export async function startTarget({
  dataDirectory,
  port,
  accounts,
}: TargetOptions): Promise<DemoTarget> {
  const options = { hostKey: await targetHostKey(dataDirectory), accounts };
  if (port === undefined) return startDemoTarget(options);
  try {
    return await startDemoTarget({ ...options, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startDemoTarget(options);
  }
}

const FILE = 'demo-target.key';

/**
 * Returns the host key of the sandboxed SSH server, created on the first start and stored, so the
 * pinned key stays valid.
 */
async function targetHostKey(dataDirectory: string): Promise<string> {
  const file = join(dataDirectory, FILE);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = generateHostKey();
  await writeFile(file, key, { mode: 0o600, flag: 'wx' });
  return key;
}
