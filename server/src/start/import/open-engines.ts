import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { assets } from '../../features/assets/index.ts';
import { audits } from '../../features/audits/index.ts';
import { createOperatorUserHooks, identity } from '../../features/identity/index.ts';
import { orgs } from '../../features/orgs/index.ts';
import { lockGrantsFor } from '../../features/perms/index.ts';
import { settings } from '../../features/settings/index.ts';
import { MODULES } from '../../modules.ts';
import { openBus } from '../../platform/bus/bus.ts';
import { openDataKeys } from '../../platform/crypto/data-keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { createGate } from '../../platform/gate.ts';
import { createJobs } from '../../platform/jobs/jobs.ts';
import { createLog } from '../../platform/log.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { openLocalRecordings } from '../../platform/storage/local-storage.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';
import { createEngines, type Engines } from '../../resources/engines.ts';
import type { ResourceServices } from '../../resources/hooks.ts';
import { createModules } from '../create-modules.ts';
import { createUndo } from '../lifetime.ts';
import type { OpenedDatabase } from '../with-database.ts';

/** The resource engines outside of the server, with the rules of its modules. */
export interface OpenedEngines {
  readonly engines: Engines;
  readonly services: ResourceServices;
  readonly recordings: Recordings;
  readonly settings: Pick<SettingsService, 'get'>;
  /** Rejects new assets above the licensed number. */
  assertLicensed(wanted: number, tx: Tx): Promise<void>;
}

/**
 * Creates the engines of assets, accounts and permissions for a command, next to a running server.
 * Nothing is started: new assets are not contacted, and no mail is sent.
 */
export async function withEngines<T>(
  config: Config,
  { db, pool, url }: OpenedDatabase,
  work: (opened: OpenedEngines) => Promise<T>,
): Promise<T> {
  const log = createLog('fatal');
  const undo = createUndo(log);
  try {
    const { vault } = await openDataKeys(db, config);
    const bus = await openBus(url, pool, log);
    undo.add(() => bus.close());
    const core = {
      config,
      log,
      db,
      replica: db,
      isReplicaUsed: () => undefined,
      pool,
      bus,
      vault,
      jobs: createJobs({ pool, db, bus, vault, log }),
      recordings: await openLocalRecordings(join(config.dataDirectory, 'recordings'), vault.files),
      applied: [],
      stopping: new AbortController().signal,
      isCommand: true,
    };
    // The modules above react to new objects, such as by a connection to each new asset.
    const modules = await createModules(
      MODULES.slice(0, MODULES.indexOf(identity) + 1),
      core,
      undo,
    );
    const services = {
      db,
      vault,
      audit: modules.use(audits).write,
      usedIds: modules.use(audits).usedIds,
      organizationName: (id: string) => modules.use(orgs).nameOf(id),
      lockGrants: lockGrantsFor,
      longReads: createGate(1),
    };
    const values = modules.use(settings);
    const user = createOperatorUserHooks(values);
    const engines = createEngines({ ...modules.hooks, user }, services);
    const { assertLicensed } = modules.use(assets);
    const { recordings } = core;
    return await work({ engines, services, recordings, settings: values, assertLicensed });
  } finally {
    await undo.run();
  }
}
