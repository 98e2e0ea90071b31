import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Config, MAX_GENERATIONS } from '../../config.ts';
import { socketPath } from '../../platform/db/socket-folder.ts';
import type { PeerAddress, PeerChannel } from '../../platform/peers/channel.ts';
import {
  drainingProcesses,
  isDraining,
  missingProcesses,
} from '../../platform/process/supervisor.ts';

/** Name of the private folder of the Unix sockets between the processes of one server. */
export const PROCESS_SOCKETS = 'peers';

const ANSWER_MS = 2_000;

/** The processes of this server, which share its ports and its data folder. */
export interface Processes {
  /** Number of this process, counted from 1. */
  readonly number: number;
  /**
   * True in one process of the server: it does the work that is needed once per server. Becomes
   * false when an upgrade replaces the process.
   */
  readonly isFirst: boolean;
  /** Number of all processes of one version. */
  readonly count: number;
  /** Numbers of the processes of this version, this one included. */
  readonly siblings: readonly number[];
  /** Numbers of the running processes that an upgrade has replaced. */
  readonly replaced: readonly number[];
  /** True if other processes may run next to this one, now or during an upgrade. */
  readonly isShared: boolean;
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
  /**
   * Asks all others of this version, and with `draining` those that it has replaced. Returns the
   * answers by number; undefined for those that did not answer.
   */
  askAll(name: string, draining?: boolean): Promise<ReadonlyMap<number, unknown>>;
}

/** Creates the connections among the processes of a server. */
export function createProcesses(
  { processes: count, worker, dataDirectory }: Config,
  channel: PeerChannel,
): Processes {
  const number = worker?.number ?? 1;
  const before = number - 1 - ((number - 1) % count);
  const siblings = Array.from({ length: count }, (_, index) => before + index + 1);
  const others = siblings.filter((one) => one !== number);
  const socketOf = (one: number) => join(socketPath(dataDirectory, PROCESS_SOCKETS), `${one}.sock`);
  const addressOf = (one: number): PeerAddress => ({
    host: hostname(),
    port: 0,
    socketPath: socketOf(one),
  });
  const ask = async (one: number, name: string, about: unknown = null): Promise<unknown> => {
    if (one === number || one > count * MAX_GENERATIONS) return undefined;
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
    get isFirst() {
      return number === siblings[0] && !isDraining();
    },
    count,
    siblings,
    get replaced() {
      return drainingProcesses().filter((one) => one !== number);
    },
    isShared: worker !== undefined,
    isJoining: worker !== undefined && !worker.isFirst,
    socketOf,
    addressOf,
    isRunning: (one) => others.includes(one) && !missingProcesses().includes(one),
    answer: (name, answer) =>
      channel.answer(name, async (about, response) => {
        response.end(JSON.stringify((await answer(about)) ?? null));
      }),
    ask,
    async askAll(name, draining = false) {
      const receivers = draining ? [...others, ...this.replaced] : others;
      return new Map(
        await Promise.all(receivers.map(async (one) => [one, await ask(one, name)] as const)),
      );
    },
  };
}
