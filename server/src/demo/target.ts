import { type DemoTarget, startDemoTarget } from '../gateway/demo-target/server.ts';
import { targetHostKey } from './target-keys.ts';

export interface TargetOptions {
  readonly dataDirectory: string;
  /** Where it listened the last time. */
  readonly port: number | undefined;
  readonly username: string;
  readonly password: string;
}

/** Starts the sandboxed SSH server where it was the last time, or on a free port when somebody else is there now. */
export async function startTarget({ dataDirectory, port, username, password }: TargetOptions): Promise<DemoTarget> {
  const account = { hostKey: await targetHostKey(dataDirectory), username, password };
  if (port === undefined) return startDemoTarget(account);
  try {
    return await startDemoTarget({ ...account, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startDemoTarget(account);
  }
}
