import {
  asset,
  cloudAccount,
  cloudSyncTask,
  type Fields,
  isUuid,
  Permission,
  reference,
  say,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import { CloudError, type Region } from '../../platform/cloud/cloud.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { transact } from '../../platform/db/retry.ts';
import { Conflict, notFound, Rejected } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { lockGrants } from '../perms/index.ts';
import { openAccount, tryAccount } from './jobs.ts';
import {
  accessOf,
  forgetReleased,
  releasedAssets,
  type SyncInput,
  setValidity,
  takeAgain,
} from './store.ts';
import { textOf, words } from './words.ts';

/** Timeout of a request to a provider in milliseconds. */
const REQUEST_TIMEOUT = 45_000;
/** Maximum assets that one request deletes or disables. */
const MOST_RELEASED = 1_000;
const QUERY: Fields = {
  account_id: reference({ label: { en: 'Account', zh: '账号' }, to: 'cloud_account' }),
};

interface Regions {
  readonly regions: readonly Region[];
  readonly count: number;
  readonly next: string | null;
}
interface TestResult {
  readonly is_valid: boolean;
  readonly msg: string;
}
interface ClearResult {
  readonly deleted: number;
  readonly disabled: number;
}

export interface CloudRouteOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly policy: AddressPolicy;
  readonly stopping: AbortSignal;
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly sync: JobDefinition<SyncInput>;
}

/**
 * Routes to test accounts, list regions, start tasks and clear released assets (permissions.md,
 * sections 6.3 and 6.4).
 */
export function mountCloud(
  app: FastifyInstance,
  { db, vault, policy, stopping, engines, jobs, sync }: CloudRouteOptions,
): void {
  const limit = () => AbortSignal.any([stopping, AbortSignal.timeout(REQUEST_TIMEOUT)]);
  /** Returns an account that the caller sees. */
  const accountOf = async (id: string, context: Context) => {
    const row = await engineOf(engines, cloudAccount).reader.retrieve(id, context);
    const access = await accessOf(String(row.id), vault, db);
    // The account was deleted between the two queries.
    if (!access) throw notFound();
    return { id: String(row.id), access };
  };

  route(app, {
    method: 'POST',
    url: `/api/v1/${cloudAccount.path}/:id/test/`,
    access: Permission.ADMIN,
    licensed: true,
    summary: 'Ask the provider whether it accepts the key of an account, and keep the result.',
    answer: samples<TestResult>(
      { is_valid: true, msg: 'The account works: 12 regions.' },
      {
        is_valid: false,
        msg: 'The account is unavailable: the provider does not accept the access key (AuthFailure)',
      },
    ),
    async handler(context): Promise<TestResult> {
      const { id, access } = await accountOf(parameter(context, 'id'), context);
      const tried = await tryAccount(access, policy, limit());
      const problem = tried instanceof CloudError ? textOf(tried) : undefined;
      await setValidity(id, problem, db);
      if (problem)
        return {
          is_valid: false,
          msg: say(words.unavailable, context.language, { reason: problem }),
        };
      return {
        is_valid: true,
        msg: say(words.available, context.language, { count: Number(tried) }),
      };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/xpack/cloud/regions/',
    access: Permission.ADMIN,
    licensed: true,
    summary: 'The regions that the provider offers to an account.',
    query: QUERY,
    answer: samples<Regions>({
      regions: [{ id: 'cn-hangzhou', name: 'China (Hangzhou)' }],
      count: 1,
      next: null,
    }),
    async handler(context): Promise<Regions> {
      const { access } = await accountOf(context.query.get('account_id') ?? '', context);
      try {
        const regions = await (await openAccount(access, policy, limit())).regions(
          context.language,
        );
        return { regions, count: regions.length, next: null };
      } catch (error) {
        if (error instanceof CloudError)
          throw new Rejected('cloud_account_unavailable', { reason: textOf(error) });
        throw error;
      }
    },
  });

  const taskUrl = `/api/v1/${cloudSyncTask.path}/:id`;
  route(app, {
    method: 'GET',
    url: `${taskUrl}/run/`,
    access: Permission.ADMIN,
    licensed: true,
    summary:
      'Start a sync task now. The answer names its job, which is the row of its history as well.',
    answer: samples({ task: exampleId('job') }),
    async handler(context) {
      const row = await engineOf(engines, cloudSyncTask).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const task = await jobs.enqueue(
        sync,
        { task: String(row.id) },
        { caller: callerOf(context), subject: String(row.name) },
      );
      if (task === undefined) throw new Conflict('already_runs');
      return { task };
    },
  });

  route(app, {
    method: 'POST',
    url: `${taskUrl}/instances/:instance/take/`,
    access: Permission.ADMIN,
    licensed: true,
    summary: 'Let the next run make an asset of an instance again whose asset somebody deleted.',
    status: 204,
    async handler(context) {
      const task = String(
        (await engineOf(engines, cloudSyncTask).reader.retrieve(parameter(context, 'id'), context))
          .id,
      );
      const instance = parameter(context, 'instance');
      if (!isUuid(instance) || !(await takeAgain(task, instance, db))) throw notFound();
      context.reply.code(204);
      return null;
    },
  });

  route(app, {
    method: 'DELETE',
    url: `${taskUrl}/released-assets/`,
    access: Permission.ADMIN,
    licensed: true,
    summary:
      'Delete the assets of a task whose instances were released, 1,000 at a time. One that had sessions is disabled and stays.',
    answer: samples<ClearResult>({ deleted: 3, disabled: 1 }),
    async handler(context): Promise<ClearResult> {
      const task = String(
        (await engineOf(engines, cloudSyncTask).reader.retrieve(parameter(context, 'id'), context))
          .id,
      );
      const { writer } = engineOf(engines, asset);
      return transact(db, async (tx) => {
        await lockGrants(tx);
        const released = await releasedAssets(task, MOST_RELEASED, tx);
        const gone = released.filter(({ hasSessions }) => !hasSessions).map(({ id }) => id);
        const kept = released
          .filter(({ hasSessions }) => hasSessions)
          .map(({ id }) => ({ id, is_active: false }));
        if (gone.length > 0) await writer.remove(gone, context, { tx });
        if (kept.length > 0) await writer.updateMany(kept, 'change', context, { tx });
        await forgetReleased(task, tx);
        return { deleted: gone.length, disabled: kept.length };
      });
    },
  });
}
