import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { partOf, Work } from '../../platform/db/work.ts';
import type { DirectoryConfig, DirectoryPerson } from '../../platform/directory/config.ts';
import { listPeople } from '../../platform/directory/directory.ts';
import { DirectoryError } from '../../platform/directory/trace.ts';
import type { Logger } from '../../platform/log.ts';
import { digestOf } from './ldap-settings.ts';

/** Whoever reads the directory says so at least this often; otherwise it is taken to have stopped. */
const LEASE_SECONDS = 60;

/** Where reading the directory stands. `none`: nothing was read, or by other settings. */
export interface SyncState {
  readonly state: 'none' | 'running' | 'done' | 'failed';
  /** People read so far, or in all. */
  readonly people: number;
  /** Why it failed. */
  readonly reason: string;
}

/** Keeps what a directory lists in the database, and sees to it that one server at a time reads it. */
export interface Sync {
  look(): Promise<SyncState>;
  /** Begins, unless somebody is at it. The promise of the reading itself is there when this call began it. */
  begin(): Promise<{ readonly reading: Promise<void> | undefined }>;
  /** Forgets everything, also a reading that is under way. */
  forget(): Promise<void>;
  /** Stops reading and waits until it has stopped. */
  stop(): Promise<void>;
}

/** Opens the store of what the directory lists. `config` gives the settings in force. */
export function createSync({ db, config, log }: { db: Db; config: () => DirectoryConfig; log: Logger }): Sync {
  const stopping = new AbortController();
  const readings = new Set<Promise<void>>();

  const store = async (holder: string, people: readonly DirectoryPerson[], digest: Buffer) =>
    db.transaction().execute(async (tx) => {
      const { rows } = await sql`select 1 from ldap_sync where holder = ${holder} for update`.execute(tx);
      if (rows.length === 0) return;
      await sql`delete from ldap_person`.execute(tx);
      const told = people.map((person) => ({ dn: person.dn, username: person.username, name: person.name ?? '', email: person.email ?? '', fields: person }));
      await sql`
        insert into ldap_person (dn, username, name, email, fields)
        select p.dn, p.username, p.name, p.email, p.fields
        from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as p (dn text, username text, name text, email text, fields jsonb)`.execute(tx);
      await sql`
        update ldap_sync set state = 'done', people = ${people.length}, settings_digest = ${digest}, holder = null, date_lease = null, reason = '', date_changed = now()
        where holder = ${holder}`.execute(tx);
    });

  const read = async (holder: string, settings: DirectoryConfig): Promise<void> => {
    const alone = new AbortController();
    const signal = AbortSignal.any([stopping.signal, alone.signal]);
    try {
      const { found } = await listPeople(settings, {
        signal,
        async onPage(count) {
          const { numAffectedRows = 0n } = await sql`
            update ldap_sync set people = ${count}, date_lease = now() + make_interval(secs => ${LEASE_SECONDS}) where holder = ${holder}`.execute(db);
          // Somebody else reads by now, or everything was to be forgotten.
          if (numAffectedRows === 0n) alone.abort();
        },
      });
      await store(holder, found, digestOf(settings));
    } catch (error) {
      const reason = error instanceof DirectoryError ? error.message : 'internal';
      log.warn({ reason: error instanceof DirectoryError ? reason : String(error) }, 'the LDAP directory could not be listed');
      await sql`
        update ldap_sync set state = 'failed', reason = ${reason}, settings_digest = ${digestOf(settings)}, holder = null, date_lease = null, date_changed = now()
        where holder = ${holder}`.execute(db);
    }
  };

  return {
    async look() {
      const { rows } = await sql<SyncState & { fits: boolean; late: boolean }>`
        select state, people, reason, settings_digest is not distinct from ${digestOf(config())} as fits, coalesce(date_lease < now(), true) as late
        from ldap_sync`.execute(db);
      const [row] = rows;
      if (!row || (row.state === 'running' ? row.late : !row.fits)) return { state: 'none', people: 0, reason: '' };
      return { state: row.state, people: row.people, reason: row.reason };
    },
    async begin() {
      const settings = config();
      const holder = randomUUID();
      const { numAffectedRows = 0n } = await sql`
        update ldap_sync set state = 'running', holder = ${holder}, people = 0, reason = '', date_lease = now() + make_interval(secs => ${LEASE_SECONDS}),
          date_changed = now()
        where state <> 'running' or date_lease is null or date_lease < now()`.execute(db);
      if (numAffectedRows === 0n) return { reading: undefined };
      // Not a part of the request that asked for it: its end is not the end of the reading.
      const reading = partOf(new Work(), () => read(holder, settings)).catch((error: unknown) =>
        log.error({ error: String(error) }, 'reading the LDAP directory failed'),
      );
      readings.add(reading);
      void reading.finally(() => readings.delete(reading));
      return { reading };
    },
    async forget() {
      await db.transaction().execute(async (tx) => {
        await sql`update ldap_sync set state = 'none', holder = null, date_lease = null, settings_digest = null, people = 0, reason = '', date_changed = now()`.execute(
          tx,
        );
        await sql`delete from ldap_person`.execute(tx);
      });
    },
    async stop() {
      stopping.abort();
      await Promise.all(readings);
    },
  };
}
