import type { ErrorCode } from '@sallyport/contract';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { DirectoryPerson } from '../../platform/directory/connection.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts';
import type { Logger } from '../../platform/log.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Writer } from '../../resources/write/writer.ts';
import { importPeople } from '../identity/index.ts';
import type { Sync } from './sync.ts';

/** Maximum rejected people that are logged. The result contains all. */
const MAX_LOGGED = 100;

/** The result of an import. */
export interface ImportResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly { readonly username: string; readonly reason: ErrorCode }[];
}

interface ImportOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly sync: Sync;
  readonly accounts: () => Writer;
  readonly log: Logger;
}

/** Reads the directory while LDAP is on. Ends the access of users that it no longer lists. */
export function createReadJob(
  settings: SettingsService,
  sync: Pick<Sync, 'readNow'>,
): JobDefinition<void> {
  return defineJob<void>({
    name: 'ldap-watch',
    title: { en: 'Compare accounts with the LDAP directory', zh: '对照 LDAP 用户目录检查账号' },
    input: () => undefined,
    schedule: () =>
      settings.get('AUTH_LDAP')
        ? { everyMinutes: settings.get('AUTH_LDAP_READ_MINUTES') }
        : undefined,
    overlap: 'dropped',
    // The next run tries again.
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 1_600,
    access: 'server',
    history: 'failures',
    run: () => sync.readNow(),
  });
}

/**
 * Imports all people of the directory on the schedule of the settings. A crontab takes precedence
 * over the interval.
 */
export function createImportJob({
  db,
  settings,
  sync,
  accounts,
  log,
}: ImportOptions): JobDefinition<void, ImportResult> {
  const readPeople = async (): Promise<DirectoryPerson[]> => {
    await sync.readNow();
    const { rows } = await sql<{
      fields: DirectoryPerson;
    }>`select fields from ldap_person order by username, dn`.execute(db);
    return rows.map(({ fields }) => fields);
  };

  return defineJob<void, ImportResult>({
    name: 'ldap-import',
    title: { en: 'Import LDAP users', zh: '导入 LDAP 用户' },
    input: () => undefined,
    schedule() {
      if (!settings.get('AUTH_LDAP') || !settings.get('AUTH_LDAP_SYNC_IS_PERIODIC'))
        return undefined;
      const crontab = settings.get('AUTH_LDAP_SYNC_CRONTAB').trim();
      return crontab ? { crontab } : { everyMinutes: settings.get('AUTH_LDAP_SYNC_INTERVAL') * 60 };
    },
    overlap: 'dropped',
    retries: { limit: 2, delaySeconds: 60 },
    repeatable: true,
    timeoutSeconds: 3600,
    access: 'server',
    history: 'all',
    async run(job) {
      const people = await readPeople();
      job.progress(0, people.length);
      const imported = await importPeople(people, {
        source: 'ldap',
        db,
        writer: accounts(),
        caller: systemCaller('LDAP'),
      });
      const refused = imported.flatMap((one) =>
        one.result === 'refused' ? [{ username: one.username, reason: one.reason }] : [],
      );
      for (const one of refused.slice(0, MAX_LOGGED)) {
        log.warn(one, 'a person of the LDAP directory was not imported');
        job.log(`${one.username}: ${one.reason}`);
      }
      const count = (result: (typeof imported)[number]['result']) =>
        imported.filter((one) => one.result === result).length;
      const result = {
        created: count('created'),
        updated: count('updated'),
        unchanged: count('unchanged'),
        refused,
      };
      job.progress(people.length, people.length);
      job.log(
        `created ${result.created}, updated ${result.updated}, unchanged ${result.unchanged}, refused ${refused.length}`,
      );
      log.info({ ...result, refused: refused.length }, 'the LDAP directory was imported');
      return result;
    },
  });
}
