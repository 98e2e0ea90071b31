import { targetHostKey } from './keys.ts';
import { type DemoTarget, startDemoTarget } from './server.ts';

export interface TargetOptions {
  readonly dataDirectory: string;
  /** Port of the last start. */
  readonly port: number | undefined;
  readonly username: string;
  readonly password: string;
}

/** Starts the sandboxed SSH server on its previous port, or on a free one if that is in use. */
export async function startTarget({
  dataDirectory,
  port,
  username,
  password,
}: TargetOptions): Promise<DemoTarget> {
  const account = { hostKey: await targetHostKey(dataDirectory), username, password };
  if (port === undefined) return startDemoTarget(account);
  try {
    return await startDemoTarget({ ...account, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startDemoTarget(account);
  }
}
