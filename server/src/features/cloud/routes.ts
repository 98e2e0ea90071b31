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
import { type Db, transact } from '../../platform/db/database.ts';
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

/** Ends a request to a provider that takes too long, and when the server stops. */
const limitOf = ({ stopping }: CloudRouteOptions) =>
  AbortSignal.any([stopping, AbortSignal.timeout(REQUEST_TIMEOUT)]);

/** Returns an account that the caller sees. @throws NotFound */
async function findAccount(
  { db, vault, engines }: CloudRouteOptions,
  id: string,
  context: Context,
) {
  const row = await engineOf(engines, cloudAccount).reader.retrieve(id, context);
  const access = await accessOf(String(row.id), vault, db);
  // The account was deleted between the two queries.
  if (!access) throw notFound();
  return { id: String(row.id), access };
}

/** Returns the task in the path. @throws NotFound */
async function findTask({ engines }: CloudRouteOptions, context: Context) {
  const id = parameter(context, 'id');
  const row = await engineOf(engines, cloudSyncTask).reader.retrieve(id, context);
  return { id: String(row.id), name: String(row.name) };
}

/** Tests an account and stores the result. */
async function testAccount(options: CloudRouteOptions, context: Context): Promise<TestResult> {
  const { id, access } = await findAccount(options, parameter(context, 'id'), context);
  const tried = await tryAccount(access, options.policy, limitOf(options));
  const problem = tried instanceof CloudError ? textOf(tried) : undefined;
  await setValidity(id, problem, options.db);
  if (problem)
    return { is_valid: false, msg: say(words.unavailable, context.language, { reason: problem }) };
  return { is_valid: true, msg: say(words.available, context.language, { count: Number(tried) }) };
}

/** Lists the regions of an account. @throws Rejected with the error of the provider */
async function listRegions(options: CloudRouteOptions, context: Context): Promise<Regions> {
  const id = context.query.get('account_id') ?? '';
  const { access } = await findAccount(options, id, context);
  try {
    const cloud = await openAccount(access, options.policy, limitOf(options));
    const regions = await cloud.regions(context.language);
    return { regions, count: regions.length, next: null };
  } catch (error) {
    if (error instanceof CloudError)
      throw new Rejected('cloud_account_unavailable', { reason: textOf(error) });
    throw error;
  }
}

/** Starts a task. @throws Conflict if it runs already */
async function startTask(options: CloudRouteOptions, context: Context) {
  const { id, name } = await findTask(options, context);
  const task = await options.jobs.enqueue(
    options.sync,
    { task: id },
    { caller: callerOf(context), subject: name },
  );
  if (task === undefined) throw new Conflict('already_runs');
  return { task };
}

/** Lets the next run create the asset of an instance again. @throws NotFound */
async function takeInstance(options: CloudRouteOptions, context: Context) {
  const { id } = await findTask(options, context);
  const instance = parameter(context, 'instance');
  if (!isUuid(instance) || !(await takeAgain(id, instance, options.db))) throw notFound();
  context.reply.code(204);
  return null;
}

/** Deletes the released assets of a task; disables those that had sessions. */
async function clearReleased(options: CloudRouteOptions, context: Context): Promise<ClearResult> {
  const { id } = await findTask(options, context);
  const { writer } = engineOf(options.engines, asset);
  return transact(options.db, async (tx) => {
    await lockGrants(tx);
    const released = await releasedAssets(id, MOST_RELEASED, tx);
    const unused = released.filter(({ hasSessions }) => !hasSessions).map((one) => one.id);
    const used = released
      .filter(({ hasSessions }) => hasSessions)
      .map((one) => ({ id: one.id, is_active: false }));
    if (unused.length > 0) await writer.remove(unused, context, { tx });
    if (used.length > 0) await writer.updateMany(used, 'change', context, { tx });
    await forgetReleased(id, tx);
    return { deleted: unused.length, disabled: used.length };
  });
}

/**
 * Routes to test accounts, list regions, start tasks and clear released assets (permissions.md,
 * sections 6.3 and 6.4).
 */
export function mountCloud(app: FastifyInstance, options: CloudRouteOptions): void {
  mountAccounts(app, options);
  mountTasks(app, options);
}

function mountAccounts(app: FastifyInstance, options: CloudRouteOptions): void {
  route(app, {
    method: 'POST',
    url: `/api/v1/${cloudAccount.path}/:id/test/`,
    access: Permission.ADMIN,
    area: 'operation',
    licensed: true,
    summary: 'Ask the provider whether it accepts the key of an account, and keep the result.',
    answer: samples<TestResult>(
      { is_valid: true, msg: 'The account works: 12 regions.' },
      {
        is_valid: false,
        msg: 'The account is unavailable: the provider does not accept the access key (AuthFailure)',
      },
    ),
    handler: (context) => testAccount(options, context),
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/xpack/cloud/regions/',
    access: Permission.ADMIN,
    area: 'operation',
    licensed: true,
    summary: 'The regions that the provider offers to an account.',
    query: QUERY,
    answer: samples<Regions>({
      regions: [{ id: 'cn-hangzhou', name: 'China (Hangzhou)' }],
      count: 1,
      next: null,
    }),
    handler: (context) => listRegions(options, context),
  });
}

function mountTasks(app: FastifyInstance, options: CloudRouteOptions): void {
  const url = `/api/v1/${cloudSyncTask.path}/:id`;
  route(app, {
    method: 'GET',
    url: `${url}/run/`,
    access: Permission.ADMIN,
    area: 'operation',
    licensed: true,
    summary:
      'Start a sync task now. The answer names its job, which is the row of its history as well.',
    answer: samples({ task: exampleId('job') }),
    handler: (context) => startTask(options, context),
  });
  route(app, {
    method: 'POST',
    url: `${url}/instances/:instance/take/`,
    access: Permission.ADMIN,
    area: 'operation',
    licensed: true,
    summary: 'Re-create the asset of a deleted instance at the next sync.',
    status: 204,
    handler: (context) => takeInstance(options, context),
  });
  route(app, {
    method: 'DELETE',
    url: `${url}/released-assets/`,
    access: Permission.ADMIN,
    area: 'operation',
    licensed: true,
    summary:
      'Delete the assets of a task whose instances were released, 1,000 at a time. One that had sessions is disabled and stays.',
    answer: samples<ClearResult>({ deleted: 3, disabled: 1 }),
    handler: (context) => clearReleased(options, context),
  });
}
