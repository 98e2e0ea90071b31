import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Config } from '../../config.ts';
import { socketPath } from '../../platform/db/socket-folder.ts';
import type { PeerAddress, PeerChannel } from '../../platform/peers/channel.ts';
import { missingProcesses } from '../../platform/process.ts';

/** Name of the private folder of the Unix sockets between the processes of one server. */
export const PROCESS_SOCKETS = 'peers';

const ANSWER_MS = 2_000;

/** The processes of this server, which share its ports and its data folder. */
export interface Processes {
  /** Number of this process, counted from 1. */
  readonly number: number;
  /** True in one process of the server: it does the work that is needed once per server. */
  readonly isFirst: boolean;
  /** Number of all processes. */
  readonly count: number;
  /** True if others may be recording into the data folder since before this start. */
  readonly isJoining: boolean;
  /** The Unix socket of a process. */
  socketOf(number: number): string;
  /** The address of another process of this server. */
  addressOf(number: number): PeerAddress;
  /** Returns true if another process runs, as far as is known. */
  isRunning(number: number): boolean;
  /** Answers a question of the other processes. */
  answer(name: string, answer: (about: unknown) => unknown): void;
  /** Asks another process. Undefined if it does not answer in time. */
  ask(number: number, name: string, about?: unknown): Promise<unknown>;
  /** Asks all others. Returns the answers by number; undefined for those that did not answer. */
  askAll(name: string): Promise<ReadonlyMap<number, unknown>>;
}

/** Creates the connections among the processes of a server. */
export function createProcesses(
  { processes: count, worker, dataDirectory }: Config,
  channel: PeerChannel,
): Processes {
  const number = worker?.number ?? 1;
  const others = Array.from({ length: count }, (_, index) => index + 1).filter(
    (one) => one !== number,
  );
  const socketOf = (one: number) => join(socketPath(dataDirectory, PROCESS_SOCKETS), `${one}.sock`);
  const addressOf = (one: number): PeerAddress => ({
    host: hostname(),
    port: 0,
    socketPath: socketOf(one),
  });
  const ask = async (one: number, name: string, about: unknown = null): Promise<unknown> => {
    if (!others.includes(one)) return undefined;
    try {
      const answer = await channel.ask(addressOf(one), name, about, {
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const body: unknown = JSON.parse(await text(answer));
      return answer.statusCode === 200 ? body : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    number,
    isFirst: number === 1,
    count,
    isJoining: worker !== undefined && !worker.isFirst,
    socketOf,
    addressOf,
    isRunning: (one) => others.includes(one) && !missingProcesses().includes(one),
    answer: (name, answer) =>
      channel.answer(name, async (about, response) => {
        response.end(JSON.stringify((await answer(about)) ?? null));
      }),
    ask,
    askAll: async (name) =>
      new Map(await Promise.all(others.map(async (one) => [one, await ask(one, name)] as const))),
  };
}
