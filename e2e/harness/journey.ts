import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Client } from '../../server/src/testing/client.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { startSshd, type TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { launchChromium, type Organization, Visitor, type VisitorOptions } from './browser.ts';
import { create, unique } from './build.ts';
import { closeWindows, giveBack } from './contexts.ts';
import { ADMIN, Server, signedIn } from './server.ts';

/** The parts of a server that journeys use when they neither start nor stop it. */
export type RunningServer = Pick<Server, 'url' | 'signIn'>;

/** Shared by the journeys of one file: server, sshd, browser, and a client of the administrator. */
export interface Stage<S extends RunningServer = RunningServer> {
  readonly server: S;
  readonly sshd: TestSshd;
  readonly admin: Client;
  readonly browser: Browser;
  /** The organization that the administrator works in; the default one if absent. */
  readonly organization?: Organization;
}

let shared: Promise<Browser> | undefined;

/**
 * One browser for all files of a worker. Visitors share no data in it. A browser that crashed is
 * replaced.
 */
async function sharedBrowser(): Promise<Browser> {
  const before = await shared;
  if (before?.isConnected()) return before;
  shared = launchChromium();
  return shared;
}

/** Opens a browser for a user. */
export type OpenBrowser = (options?: VisitorOptions) => Promise<Visitor>;

export interface StageTools<S extends RunningServer> {
  /** The stage of the file; available inside journeys. */
  readonly stage: () => Stage<S>;
  /**
   * Runs a test in the browser. Each complaint of a page fails the test; a failed test leaves
   * screenshots.
   */
  readonly journey: (
    name: string,
    run: (open: OpenBrowser, stage: Stage<S>) => Promise<void>,
    milliseconds?: number,
  ) => void;
}

type Begin = <T>(start: Promise<T>, stop: (started: T) => Promise<unknown>) => Promise<T>;
type Installation<S extends RunningServer> = Pick<Stage<S>, 'server' | 'admin' | 'organization'>;

/** Sets the stage for a file: a new organization on the server that all such files share. */
export const useStage = (): StageTools<RunningServer> => setStage(shareServer);

async function shareServer(): Promise<Installation<RunningServer>> {
  const url = inject('sharedServer');
  const admin = await signedIn(url, ADMIN);
  const { body } = await admin.get<{ id: string }>('users/profile/');
  const name = unique('Default');
  const id = await create(admin, 'orgs/orgs/', { name, admins: [body.id] });
  return {
    server: { url, signIn: (account = ADMIN) => signedIn(url, account) },
    admin: admin.inOrganization(id),
    organization: { id, name },
  };
}

export interface OwnServerOptions {
  /** Accept SSH clients. */
  readonly ssh?: boolean;
  /** Accept MySQL clients. */
  readonly mysql?: boolean;
  /** Keep the HTTP port when a journey restarts the server. */
  readonly restarts?: boolean;
  /** Run below a parent, so that a journey can upgrade the server. */
  readonly upgrades?: boolean;
  /** Starts a database elsewhere, and returns its address. */
  readonly startDatabase?: () => Promise<{ readonly url: string; stop(): Promise<unknown> }>;
}

/**
 * Sets the stage for a file with its own server. Use it for journeys that start or stop the server,
 * change settings of the installation or preferences of its administrator, read its database, or
 * count all objects of the installation.
 */
export function useOwnServer({
  ssh = false,
  mysql = false,
  restarts = false,
  upgrades = false,
  startDatabase,
}: OwnServerOptions = {}): StageTools<Server> {
  return setStage(async (begin) => {
    const database = await startDatabase?.();
    const port = (isWanted: boolean) => (isWanted ? freePort() : 0);
    const ports = {
      httpPort: await port(restarts),
      sshPort: await port(ssh),
      mysqlPort: await port(mysql),
      upgrades,
    };
    const server = await begin(
      Server.launch({
        ...(database ? { externalUrl: database.url } : { copyOf: inject('startedFolder') }),
        ...ports,
      }),
      async (started) => {
        await started.stop();
        await database?.stop();
      },
    );
    return { server, admin: await server.signIn() };
  });
}

function setStage<S extends RunningServer>(
  install: (begin: Begin) => Promise<Installation<S>>,
): StageTools<S> {
  let stage: Stage<S> | undefined;
  const get = (): Stage<S> => {
    if (!stage) throw new Error('the stage is not set yet');
    return stage;
  };
  const undo: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    // Each is stopped even if another one did not start.
    const begin: Begin = async (start, stop) => {
      const started = await start;
      undo.push(() => stop(started));
      return started;
    };
    const [installation, sshd, browser] = await Promise.all([
      install(begin),
      begin(startSshd(), (started) => started.stop()),
      sharedBrowser(),
    ]);
    stage = { ...installation, sshd, browser };
  });
  afterAll(async () => {
    if (stage) await closeWindows(stage.server.url);
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
            const { browser, server, organization } = get();
            const visitor = await Visitor.open(browser, server.url, { organization, ...options });
            visitors.push(visitor);
            return visitor;
          };
          try {
            await run(open, get());
            expect(visitors.flatMap(({ watch }) => watch.complaints)).toEqual([]);
            await Promise.all(
              visitors.splice(0).map((visitor) => giveBack(visitor, get().server.url)),
            );
          } catch (error) {
            const pictures = (
              await Promise.all(visitors.map((visitor) => visitor.photograph(name)))
            ).flat();
            const complaints = visitors.flatMap(({ watch }) => watch.complaints);
            process.stderr.write(
              `${[`✗ ${name}`, String(error), ...pictures, ...complaints].join('\n  ')}\n`,
            );
            throw error;
          } finally {
            await Promise.all(visitors.map(({ context }) => context.close()));
          }
        },
        milliseconds,
      ),
  };
}
