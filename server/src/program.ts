import type { Resource } from '@sallyport/contract';
import type { Config } from './config.ts';
import { backups, endLostDrills } from './features/backups/index.ts';
import { identity } from './features/identity/index.ts';
import { servers } from './features/servers/index.ts';
import { settings } from './features/settings/index.ts';
import { gateway } from './gateway/adapters/index.ts';
import type { App } from './http/app.ts';
import type { Expiry } from './module.ts';
import { MODULES } from './modules.ts';
import type { Vault } from './platform/crypto/vault.ts';
import type { Database } from './platform/db/database.ts';
import type { Jobs } from './platform/jobs/jobs.ts';
import type { Logger } from './platform/log.ts';
import type { Recordings } from './platform/storage/recordings.ts';
import type { AttentionSources } from './resources/attention.ts';
import type { Engines } from './resources/engines.ts';
import { dropScratches } from './start/backup/scratch.ts';
import { backupWork } from './start/backup/work.ts';
import { createModules } from './start/create-modules.ts';
import type { Lifetime } from './start/lifetime.ts';
import { handOverConnections, listen } from './start/listen.ts';
import { openCore } from './start/open-core.ts';
import { type OpenedFolder, openFolder } from './start/open-folder.ts';
import { createSite } from './start/site.ts';

export interface Program {
  readonly app: App;
  readonly database: Database;
  readonly vault: Vault;
  readonly engines: Engines;
  readonly jobs: Jobs;
  /** Address of the console. */
  readonly url: string;
  /** Password of the first administrator, if this start generated it. */
  readonly adminPassword: string | undefined;
  readonly recordings: Recordings;
  /** Rows of the features that expire. */
  readonly expiries: readonly Expiry[];
  /** Items of *Needs attention* that the features add. */
  readonly attention: AttentionSources;
  /** Port of the SSH listener; 0: off. */
  readonly sshPort: number;
  /** Rejects new connections, ends sessions, finishes recordings, stops the database. */
  stop(): Promise<void>;
}

/** Options of a start besides the configuration. */
export interface StartOptions {
  /** Stops the program, and is notified when the database dies. */
  readonly lifetime?: Lifetime | undefined;
  /** Resources to serve. Default: those of the contract. */
  readonly resources?: readonly Resource[] | undefined;
  /** The data folder, if opened before the program was loaded. */
  readonly folder?: OpenedFolder | undefined;
}

/** Starts all parts in order. @throws StartError with one sentence for the operator */
export async function startProgram(
  config: Config,
  log: Logger,
  options: StartOptions = {},
): Promise<Program> {
  const folder = options.folder ?? (await openFolder(config, log, options.lifetime));
  try {
    return await start(config, log, folder, options);
  } catch (error) {
    await folder.undo.run();
    throw error;
  }
}

async function start(
  config: Config,
  log: Logger,
  folder: OpenedFolder,
  { lifetime, resources }: StartOptions,
): Promise<Program> {
  const { undo } = folder;
  const { core, database, databaseUrl, lost, beginToStop } = await openCore(config, log, folder);
  const modules = await createModules(MODULES, core, undo);
  modules.use(backups).provide(backupWork(config, core, databaseUrl, modules.use(settings)));
  const { app, engines } = await createSite(core, modules, resources);
  undo.add(() => app.http.close());
  await modules.start(undo);
  // An upgrade joins processes that may be making such databases.
  if (!modules.use(servers).processes.isJoining)
    await dropScratches(databaseUrl, () => endLostDrills(core.db));
  // The last step added runs first.
  undo.add(beginToStop);
  lifetime?.onLeave(() => {
    beginToStop();
    return modules.leave();
  });
  lifetime?.onReplaced(() => Promise.all([modules.handOver(), handOverConnections(app)]));
  const url = await listen(app, config);
  void lost?.then((reason) => {
    if (core.stopping.aborted) return;
    lifetime?.fail(`the database is gone: ${reason}`);
  });
  return {
    app,
    database,
    vault: core.vault,
    engines,
    jobs: core.jobs,
    url,
    adminPassword: modules.use(identity).firstPassword(),
    recordings: core.recordings,
    expiries: modules.expiries,
    attention: modules.attention,
    sshPort: modules.use(gateway).sshPort(),
    stop: undo.run,
  };
}
