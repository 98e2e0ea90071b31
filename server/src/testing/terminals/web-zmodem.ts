import { type ChildProcess, spawn } from 'node:child_process';
import type { TerminalClient } from './terminal-client.ts';

/** Connects a program of lrzsz to a web terminal that waits for it. Returns its exit status. */
export async function runTransfer(
  client: TerminalClient,
  program: readonly [string, ...string[]],
  folder: string,
): Promise<number | null> {
  const [name, ...words] = program;
  const waiting: Buffer[] = [];
  let child: ChildProcess | undefined;
  client.onFrames = (frames) => {
    if (child) child.stdin?.write(frames);
    else waiting.push(frames);
  };
  await client.transfer(true);
  client.send({ type: 'transfer', on: true });
  child = spawn(name, words, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin?.on('error', () => undefined);
  child.stdout?.on('data', (chunk: Buffer) => client.sendFrames(chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  for (const frames of waiting) child.stdin?.write(frames);
  const code = await promise;
  await client.transfer(false);
  client.send({ type: 'transfer', on: false });
  return code;
}
