import { Permission } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { DirectoryConfig, DirectoryPerson } from '../../platform/directory/connection.ts';
import { listPeople } from '../../platform/directory/directory.ts';
import { DirectoryError } from '../../platform/directory/trace.ts';
import { Rejected } from '../../platform/errors.ts';
import {
  defineJob,
  type JobDefinition,
  type JobRequester,
} from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { digestOf } from './ldap-checker.ts';

/** The state of reading the directory. `none` if it was never read with the current settings. */
export interface SyncState {
  readonly state: 'none' | 'running' | 'done' | 'failed';
  /** The current or last job that reads it. */
  readonly job: string | undefined;
  /** People read so far, or in total. */
  readonly people: number;
  /** The reason of a failure. */
  readonly reason: string;
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
  /** Cancels a running job and starts another. Returns its id. */
  refresh(caller?: JobRequester): Promise<string | undefined>;
}

/** Creates the cache of the directory. `config` returns the current settings. */
export function createSync({
  db,
  jobs,
  config,
}: {
  db: Db;
  jobs: Jobs;
  config: () => DirectoryConfig;
}): Sync {
  const digest = () => digestOf(config()).toString('hex');

  const store = async (people: readonly DirectoryPerson[], once: (tx: Tx) => Promise<boolean>) =>
    db.transaction(async (tx) => {
      // Stores nothing if the job was canceled or moved to another server.
      if (!(await once(tx))) return;
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
    });

  const job = defineJob<ReadInput, { readonly people: number }>({
    name: 'ldap-read',
    title: { en: 'Read the LDAP directory', zh: '读取 LDAP 用户目录' },
    input: (value) => value as ReadInput,
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 900,
    access: Permission.SUPER | Permission.ADMIN,
    history: 'all',
    async run({ input, signal, progress, log, once }) {
      const settings = config();
      // The settings changed after the request. The caller must request it again.
      if (digestOf(settings).toString('hex') !== input.digest)
        throw new Rejected('directory_not_read');
      try {
        const { result: found } = await listPeople(settings, {
          signal,
          onPage: async (count) => progress(count, 0),
        });
        await store(found, once);
        progress(found.length, found.length);
        log(`${found.length} people were read.`);
        return { people: found.length };
      } catch (error) {
        if (!(error instanceof DirectoryError)) throw error;
        log(error.message);
        throw new Rejected('directory_failed', { step: 'LDAP', reason: error.message });
      }
    },
  });

  const begin = (caller?: JobRequester) =>
    jobs.enqueue(job, { digest: digest() }, { subject: config().uri, ...(caller && { caller }) });

  return {
    job,
    begin,
    async current() {
      const row = await jobs.latest(job);
      if (!row || row.state === 'canceled' || (row.input as ReadInput | null)?.digest !== digest())
        return { state: 'none', job: undefined, people: 0, reason: '' };
      const state =
        row.state === 'succeeded' ? 'done' : row.state === 'failed' ? 'failed' : 'running';
      const { reason = row.problem?.code ?? '' } = row.problem?.params ?? {};
      return { state, job: row.id, people: row.done, reason: String(reason) };
    },
    finished: async (id) => void (await jobs.finished(id)),
    async refresh(caller) {
      const row = await jobs.latest(job);
      if (row) await jobs.cancel(row.id);
      return begin(caller);
    },
  };
}
