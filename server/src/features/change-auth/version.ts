import { isUuid, Permission } from '@sallyport/contract';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { NotFound, Rejected } from '../../platform/errors.ts';
import { defineJob, type JobDefinition, type RunningJob } from '../../platform/jobs/definition.ts';
import { secretContext } from '../assets/index.ts';
import type { NewSecrets } from './change.ts';
import { endExecution, openSubtasks, type Subtask, takeSubtask } from './store.ts';
import { words } from './words.ts';

/** The stored version to set on its server, or the subtask to retry. */
export interface VersionInput {
  readonly version: string;
  readonly subtask?: string;
}

interface StoredVersion {
  readonly id: string;
  readonly organization: string;
  readonly assetId: string;
  readonly username: string;
  /** Sealed. */
  readonly password: string | null;
}

async function versionOf(id: string, db: Db): Promise<StoredVersion | undefined> {
  const { rows } = await sql<StoredVersion>`
    select id, org_id as organization, asset_id as "assetId", username, password from asset_user
    where id = ${id}`.execute(db);
  return rows[0];
}

/** Returns true if a stored version has a password. */
export async function hasPassword(id: string, db: Db): Promise<boolean> {
  return ((await versionOf(id, db))?.password ?? null) !== null;
}

/** The version of a run without a plan; undefined if it was deleted. */
export async function versionOfExecution(execution: string, db: Db): Promise<string | undefined> {
  const { rows } = await sql<{
    version: string | null;
  }>`select version_id as version from change_auth_execution where id = ${execution}`.execute(db);
  return rows[0]?.version ?? undefined;
}

/** Starts a run with one server. A restarted run keeps its subtask. */
async function begin(
  id: string,
  { id: version, organization, assetId, username }: StoredVersion,
  db: Db,
): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`
      insert into change_auth_execution (id, org_id, version_id, username, password_strategy,
        assets_amount, nodes_amount)
      values (${id}, ${organization}, ${version}, ${username}, 'stored', 1, 0)
      on conflict (id) do nothing`.execute(tx);
    await sql`
      insert into change_auth_subtask (org_id, plan_execution_id, asset_id, hostname, ip, username,
        job_id)
      select ${organization}, ${id}, a.id, a.hostname, a.ip, ${username}, ${id} from asset a
      where a.id = ${assetId}
      on conflict (plan_execution_id, asset_id) do nothing`.execute(tx);
  });
}

interface VersionJobOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly isLicensed: () => boolean;
  /** Runs subtasks as plans do. */
  readonly all: (
    subtasks: readonly Subtask[],
    secrets: () => Promise<NewSecrets>,
    job: RunningJob<unknown>,
  ) => Promise<void>;
}

/** Creates the job that sets a stored version on its server, with the same rollback as plans. */
export function createVersionJob({
  db,
  vault,
  isLicensed,
  all,
}: VersionJobOptions): JobDefinition<VersionInput> {
  return defineJob<VersionInput>({
    name: 'set-stored-secret',
    title: words.setStored,
    input(value) {
      const { version, subtask } = value as {
        readonly version?: unknown;
        readonly subtask?: unknown;
      };
      if (!isUuid(version) || (subtask !== undefined && !isUuid(subtask)))
        throw new Error('invalid version or subtask');
      return { version, ...(subtask !== undefined && { subtask }) };
    },
    overlap: 'dropped',
    key: ({ version }) => version,
    concurrency: 2,
    // If this server is lost, another one settles the interrupted change and continues.
    retries: { limit: 1, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 3_600,
    access: Permission.ADMIN,
    history: 'all',
    async run(job) {
      if (!isLicensed()) throw new Rejected('license_required');
      const version = await versionOf(job.input.version, db);
      if (!version) throw new NotFound('not_found');
      const { password: sealed } = version;
      if (sealed === null) throw new Rejected('version_without_password');
      const secrets = async () => ({
        password: vault.open(sealed, secretContext('asset_user', 'password', version.id)),
      });
      if (job.input.subtask !== undefined) {
        const subtask = await takeSubtask(job.input.subtask, job.id, db);
        return all(subtask ? [subtask] : [], secrets, job);
      }
      await begin(job.id, version, db);
      try {
        await all(await openSubtasks(job.id, db), secrets, job);
      } finally {
        // A run interrupted by a server stop continues later.
        if (job.signal.reason !== 'stopping') await endExecution(job.id, db);
      }
    },
  });
}
