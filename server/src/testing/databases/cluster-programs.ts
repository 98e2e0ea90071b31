import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../poll.ts';

/** Time for a program to start on a busy machine. */
const START_MS = 120_000;

/** Programs with logs in a folder. */
export function createPrograms(folder: string) {
  const running = new Map<string, ChildProcess>();
  const logOf = (key: string) => join(folder, `${key}.log`);
  return {
    begin(key: string, command: readonly string[], options: SpawnOptions = {}) {
      const [program = '', ...words] = command;
      const output = openSync(logOf(key), 'a');
      const stdio: StdioOptions = ['ignore', output, output];
      running.set(key, spawn(program, words, { cwd: folder, ...options, stdio }));
      closeSync(output);
    },
    async end(key: string, signal: NodeJS.Signals) {
      const child = running.get(key);
      running.delete(key);
      if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
    /** The last lines of all logs. */
    tails: () =>
      [...running.keys()].map((key) => `${key}: ${readFileSync(logOf(key), 'utf8').slice(-2000)}`),
  };
}

export type Programs = ReturnType<typeof createPrograms>;

/** Starts etcd with its data in the folder. Returns `host:port`. */
export async function startEtcd(
  { begin }: Programs,
  folder: string,
  address: string,
): Promise<string> {
  const client = `http://${address}:2379`;
  const peer = `http://${address}:2380`;
  begin('etcd', [
    '/usr/bin/etcd',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]);
  const isUp = () =>
    fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isUp, 'etcd answers', START_MS);
  return `${address}:2379`;
}

/** Replaces the addresses and paths of an example. @throws Error for one that it lacks */
export function replaceAll(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the example has no ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}
