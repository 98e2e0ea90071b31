import { setTimeout as sleep } from 'node:timers/promises';
import { isTimeOf, parseCrontab } from '@sallyport/contract';
import { sql } from 'kysely';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import type { Db } from '../../platform/db/database.ts';
import type { DirectoryPerson } from '../../platform/directory/config.ts';
import type { Logger } from '../../platform/log.ts';
import { serviceAuthor } from '../audits/operate-log.ts';
import type { SettingsService } from '../settings/service.ts';
import { importPeople, type Taken } from './accounts.ts';
import type { Sync } from './sync.ts';

/** How long a reading that somebody else began is waited for. */
const PATIENCE_SECONDS = 600;
/** Names that are logged one by one; all of them stand in the result. */
const MAX_LOGGED = 100;

/** Imports everybody whom the directory lists, when the settings say so. */
export interface PeriodicImport {
  /** Does it when it is time; on one server, however many ask. Asked often. */
  tick(now?: Date): Promise<void>;
  /** Waits until nothing runs any more. */
  stop(): Promise<void>;
}

interface PeriodicOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly sync: Sync;
  readonly audit: AuditWriter;
  readonly log: Logger;
}

/** Opens the periodic import. */
export function createPeriodicImport({ db, settings, sync, audit, log }: PeriodicOptions): PeriodicImport {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Whether it is time, and this server is the first to see it. A crontab wins over the interval; a minute that nobody saw is not made up for. */
  const claim = async (now: Date): Promise<boolean> => {
    const crontab = parseCrontab(settings.get('AUTH_LDAP_SYNC_CRONTAB'));
    if (crontab && !isTimeOf(crontab, now)) return false;
    const before = crontab ? Math.floor(now.getTime() / 60_000) * 60_000 : now.getTime() - settings.get('AUTH_LDAP_SYNC_INTERVAL') * 3_600_000;
    // Within the very minute is later than its begin; an interval is over at its end.
    const { numAffectedRows = 0n } = await sql`
      update ldap_periodic set date_begun = ${now} where date_begun is null or ${crontab ? sql`date_begun < ${new Date(before)}` : sql`date_begun <= ${new Date(before)}`}`.execute(
      db,
    );
    return numAffectedRows > 0n;
  };

  const readPeople = async (): Promise<DirectoryPerson[] | string> => {
    await (await sync.begin()).reading;
    let { state, reason } = await sync.look();
    for (let waited = 0; state === 'running' && waited < PATIENCE_SECONDS; waited += 1) {
      await sleep(1_000, undefined, { signal: stopping.signal });
      ({ state, reason } = await sync.look());
    }
    if (state !== 'done') return reason || state;
    const { rows } = await sql<{ fields: DirectoryPerson }>`select fields from ldap_person order by username, dn`.execute(db);
    return rows.map(({ fields }) => fields);
  };

  const finish = (taken: readonly Taken[], reason: string) => {
    const count = (result: Taken['result']) => taken.filter((one) => one.result === result).length;
    const refused = taken.flatMap((one) => (one.result === 'refused' ? [{ username: one.username, reason: one.reason }] : []));
    for (const one of refused.slice(0, MAX_LOGGED)) log.warn(one, 'somebody of the LDAP directory was not taken over');
    const counts = { created: count('created'), updated: count('updated'), unchanged: count('unchanged'), refused: refused.length };
    if (reason) log.warn({ reason }, 'the periodic import of the LDAP directory failed');
    else log.info(counts, 'the LDAP directory was imported');
    return sql`
      update ldap_periodic set date_done = now(), reason = ${reason.slice(0, 1_000)}, created = ${counts.created}, updated = ${counts.updated},
        unchanged = ${counts.unchanged}, refused = ${JSON.stringify(refused)}::jsonb`.execute(db);
  };

  const run = async (): Promise<void> => {
    try {
      const people = await readPeople();
      if (typeof people === 'string') await finish([], people);
      else await finish(await importPeople(people, { db, audit, author: serviceAuthor('LDAP') }), '');
    } catch (error) {
      if (stopping.signal.aborted) return;
      await finish([], 'internal');
      throw error;
    }
  };

  return {
    async tick(now = new Date()) {
      if (running || stopping.signal.aborted) return;
      if (!settings.get('AUTH_LDAP') || !settings.get('AUTH_LDAP_SYNC_IS_PERIODIC')) return;
      if (!(await claim(now))) return;
      running = run().finally(() => {
        running = undefined;
      });
      await running;
    },
    async stop() {
      stopping.abort();
      await running?.catch(() => undefined);
    },
  };
}
