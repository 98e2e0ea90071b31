import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { requirePeers } from '../peers.ts';

export interface ProgramResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningProgram {
  readonly child: ChildProcess;
  readonly result: Promise<ProgramResult>;
}

/** Starts a client program with a minimal environment plus `environment`. */
export function startClient(
  command: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input?: string,
): RunningProgram {
  requirePeers('postgresql', 'mariadb-client');
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: '/nonexistent', ...environment },
    stdio: 'pipe',
  });
  // It may end before it has read its input.
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const result = (async () => {
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((done) => child.once('close', done)),
    ]);
    return { code, out, err };
  })();
  return { child, result };
}
