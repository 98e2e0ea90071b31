import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { URL_VARIABLE } from './test-database.ts';

const MAIN = resolve(import.meta.dirname, '../main.ts');

/** The program as its command runs it: a process of its own. */
export interface Command {
  readonly child: ChildProcess;
  /** Everything it has printed so far. */
  readonly output: () => string;
  /** Resolves with the exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Waits until it has printed its address. @throws Error when it ends before */
  ready(): Promise<string>;
}

/** Starts the command with nothing of ours in its environment but what is given. */
export function runCommand(environment: Readonly<Record<string, string>>): Command {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SALLYPORT_') || name === URL_VARIABLE));
  const child = spawn(process.execPath, [MAIN], { env: { ...inherited, NODE_NO_WARNINGS: '1', ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const hear = (chunk: unknown) => {
    printed += String(chunk);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    output: () => printed,
    ended,
    async ready() {
      const address = () => /is ready: (http:\S+)/.exec(printed)?.[1];
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      while (!address()) {
        if (isOver) throw new Error(`the command ended: ${printed}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
      return address() ?? '';
    },
  };
}
