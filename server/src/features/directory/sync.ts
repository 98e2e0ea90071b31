import { type LocalText, Permission } from '@sallyport/contract';
import { systemCaller } from '../../platform/actor.ts';
import { certificateSentence, PEER } from '../../platform/certificate-problem.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { DirectoryConfig } from '../../platform/directory/connection.ts';
import { listPeople, type PeopleList } from '../../platform/directory/directory.ts';
import { DirectoryError } from '../../platform/directory/trace.ts';
import { Rejected } from '../../platform/errors.ts';
import {
  defineJob,
  type JobDefinition,
  type JobRequester,
} from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Writer } from '../../resources/write/writer.ts';
import { applyReading, joinLists, lacksPeople } from '../identity/index.ts';
import { digestOf, peopleDigestOf } from './ldap-checker.ts';
import { lastReading, storeApplied, storeFailure, storeHeld } from './reading-store.ts';

/** The state of reading the directory. `none` if it was never read with the current settings. */
export interface SyncState {
  readonly state: 'none' | 'running' | 'done' | 'failed';
  /** The current or last job that reads it. */
  readonly job: string | undefined;
  /** People read so far, or in total. */
  readonly people: number;
  /** The reason of a failure. */
  readonly reason: string | LocalText;
}

interface ReadInput {
  /** Digest of the settings. People of another directory must not be used. */
  readonly digest: string;
}

/** Caches the people of the directory in the database. One server at a time reads them. */
export interface Sync {
  readonly job: JobDefinition<ReadInput>;
  current(): Promise<SyncState>;
  /** Starts a job that reads the directory unless one is running. Returns its id. */
  begin(caller?: JobRequester): Promise<string | undefined>;
  /** Waits until a job has ended. */
  finished(job: string): Promise<void>;
  /** Reads the directory, or waits for a running read. @throws Rejected if it fails */
  readNow(): Promise<void>;
  /** Cancels a running job and starts another. Returns its id. */
  refresh(caller?: JobRequester): Promise<string | undefined>;
}

/** People of the directory, and the time of the database at which the read began. */
interface Reading extends PeopleList {
  readonly began: Date;
}

/**
 * Lists all people. A list that lacks a user is read twice: entries that move or get a new name
 * during a read are missing in some lists.
 */
async function readPeople(
  settings: DirectoryConfig,
  listing: Parameters<typeof listPeople>[1],
  db: Db,
): Promise<Reading> {
  const { rows } = await sql<{ began: Date }>`select clock_timestamp() as began`.execute(db);
  const began = rows[0]?.began ?? new Date();
  const { result: first } = await listPeople(settings, listing);
  if (!(await lacksPeople('ldap', first.people, began, db))) return { ...first, began };
  const { result: second } = await listPeople(settings, listing);
  return {
    people: joinLists(first.people, second.people),
    isPartial: first.isPartial || second.isPartial,
    began,
  };
}

/** Creates the cache of the directory. `config` returns the current settings. */
export function createSync({
  db,
  jobs,
  config,
  accounts,
  log: serverLog,
}: {
  db: Db;
  jobs: Jobs;
  config: () => DirectoryConfig;
  accounts: () => Writer;
  log: Logger;
}): Sync {
  const digest = () => digestOf(config()).toString('hex');

  const store = async (list: Reading, once: (tx: Tx) => Promise<boolean>) =>
    db.transaction(async (tx) => {
      // Stores nothing if the job was canceled or moved to another server.
      if (!(await once(tx))) return undefined;
      const { people } = list;
      await sql`delete from ldap_person`.execute(tx);
      const listed = people.map((person) => ({
        dn: person.dn,
        username: person.username,
        name: person.name ?? '',
        email: person.email ?? '',
        fields: person,
      }));
      await sql`
        insert into ldap_person (dn, username, name, email, fields)
        select p.dn, p.username, p.name, p.email, p.fields
        from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as p (dn text, username text,
          name text, email text, fields jsonb)`.execute(tx);
      return applyList(list, tx);
    });

  /** Applies what the list says of the accounts. Returns a read that waits for a confirmation. */
  const applyList = async ({ people, isPartial, began }: Reading, tx: Tx) => {
    const current = peopleDigestOf(config());
    const { digest: before, date_confirmed: confirmed } = await lastReading(tx, true);
    const held = await applyReading('ldap', people, {
      // With another base or filter, missing people may still be in the directory.
      isUnsure: isPartial || (before !== '' && before !== current),
      confirmed,
      began,
      writer: accounts(),
      caller: systemCaller('LDAP'),
      tx,
    });
    await (held ? storeHeld(held, current, tx) : storeApplied(current, tx));
    return held;
  };

  const job = defineJob<ReadInput, { readonly people: number }>({
    name: 'ldap-read',
    title: { en: 'Read the LDAP directory', zh: '读取 LDAP 用户目录' },
    input: (value) => value as ReadInput,
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 1_300,
    access: Permission.SUPER | Permission.ADMIN,
    history: 'all',
    async run({ input, signal, progress, log, once }) {
      const settings = config();
      // The settings changed after the request. The caller must request it again.
      if (digestOf(settings).toString('hex') !== input.digest)
        throw new Rejected('directory_not_read');
      try {
        const onPage = async (count: number) => progress(count, 0);
        const read = await readPeople(settings, { signal, onPage }, db);
        const { people } = read;
        const held = await store(read, once);
        progress(people.length, people.length);
        log(`${people.length} people were read.`);
        if (held) {
          const counts = { people: held.people.length, of: held.of };
          serverLog.warn(counts, 'a read of the LDAP directory would end the access of many users');
          log(`${counts.people} of ${counts.of} users would lose access: confirm it first.`);
        }
        return { people: people.length };
      } catch (error) {
        if (!(error instanceof DirectoryError)) throw error;
        log(error.message);
        if (!signal.aborted) await storeFailure(error.message, db);
        throw new Rejected('directory_failed', {
          step: 'LDAP',
          reason: certificateSentence(error, PEER.directory) ?? error.message,
        });
      }
    },
  });

  const begin = (caller?: JobRequester) =>
    jobs.enqueue(job, { digest: digest() }, { subject: config().uri, ...(caller && { caller }) });

  const finished = async (id: string) => void (await jobs.finished(id));
  const current = async (): Promise<SyncState> => {
    const row = await jobs.latest(job);
    if (!row || row.state === 'canceled' || (row.input as ReadInput | null)?.digest !== digest())
      return { state: 'none', job: undefined, people: 0, reason: '' };
    const state =
      row.state === 'succeeded' ? 'done' : row.state === 'failed' ? 'failed' : 'running';
    const { reason = row.problem?.code ?? '' } = row.problem?.params ?? {};
    return {
      state,
      job: row.id,
      people: row.done,
      reason: typeof reason === 'number' ? String(reason) : reason,
    };
  };
  return {
    job,
    begin,
    current,
    finished,
    async readNow() {
      const id = (await begin()) ?? (await current()).job;
      if (id !== undefined) await finished(id);
      const { state, reason } = await current();
      if (state !== 'done')
        throw new Rejected('directory_failed', { step: 'LDAP', reason: reason || state });
    },
    async refresh(caller) {
      const row = await jobs.latest(job);
      if (row) await jobs.cancel(row.id);
      return begin(caller);
    },
  };
}
