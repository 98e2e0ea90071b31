import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../server/src/gateway/testing/free-port.ts';
import { startSshd, type TestSshd } from '../../server/src/gateway/testing/sshd.ts';
import type { Client } from '../../server/src/testing/client.ts';
import { launchChromium, Visitor, type VisitorOptions } from './browser.ts';
import { Server } from './server.ts';

/** What the journeys of one file share: the product, a server behind it, a browser, and a script with the administrator's rights. */
export interface Stage {
  readonly server: Server;
  readonly sshd: TestSshd;
  readonly admin: Client;
  readonly browser: Browser;
}

let shared: Promise<Browser> | undefined;

/** One browser for all files of a worker, which ends with it; visitors share nothing in it. A new one takes the place of one that crashed. */
async function sharedBrowser(): Promise<Browser> {
  const before = await shared;
  if (before?.isConnected()) return before;
  shared = launchChromium();
  return shared;
}

/** Opens a browser for a user. */
export type OpenBrowser = (options?: VisitorOptions) => Promise<Visitor>;

export interface StageTools {
  /** What is set up; only inside of a journey. */
  readonly stage: () => Stage;
  /** A test through the browser. Every complaint of a page fails it; a failure leaves screenshots. */
  readonly journey: (name: string, run: (open: OpenBrowser, stage: Stage) => Promise<void>, milliseconds?: number) => void;
}

export interface StageOptions {
  /** Whether SSH clients reach the server. */
  readonly ssh?: boolean;
  /** Whether clients of MySQL do. */
  readonly mysql?: boolean;
  /** Whether the server is started again while the journeys run: its port must then be free once more. */
  readonly restarts?: boolean;
}

/** Sets the stage for the journeys of a file. */
export function useStage({ ssh = false, mysql = false, restarts = false }: StageOptions = {}): StageTools {
  let stage: Stage | undefined;
  const get = (): Stage => {
    if (!stage) throw new Error('the stage is not set yet');
    return stage;
  };
  const undo: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    // Each is put away again even when another one did not start.
    const begin = async <T>(start: Promise<T>, stop: (started: T) => Promise<unknown>): Promise<T> => {
      const started = await start;
      undo.push(() => stop(started));
      return started;
    };
    const port = (isWanted: boolean) => (isWanted ? freePort() : 0);
    const ports = { httpPort: await port(restarts), sshPort: await port(ssh), mysqlPort: await port(mysql) };
    const [server, sshd, browser] = await Promise.all([
      begin(Server.launch({ copyOf: inject('startedFolder'), ...ports }), (started) => started.stop()),
      begin(startSshd(), (started) => started.stop()),
      sharedBrowser(),
    ]);
    stage = { server, sshd, browser, admin: await server.signIn() };
  });
  afterAll(async () => {
    await Promise.all(undo.map((stop) => stop()));
  });

  return {
    stage: get,
    journey: (name, run, milliseconds) =>
      test(
        name,
        async () => {
          const visitors: Visitor[] = [];
          const open: OpenBrowser = async (options) => {
            const visitor = await Visitor.open(get().browser, get().server.url, options);
            visitors.push(visitor);
            return visitor;
          };
          try {
            await run(open, get());
            expect(visitors.flatMap(({ watch }) => watch.complaints)).toEqual([]);
          } catch (error) {
            const pictures = (await Promise.all(visitors.map((visitor) => visitor.photograph(name)))).flat();
            const complaints = visitors.flatMap(({ watch }) => watch.complaints);
            process.stderr.write(`${[`✗ ${name}`, ...pictures, ...complaints].join('\n  ')}\n`);
            throw error;
          } finally {
            await Promise.all(visitors.map(({ context }) => context.close()));
          }
        },
        milliseconds,
      ),
  };
}
