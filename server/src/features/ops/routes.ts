import {
  adminUser,
  asset,
  choice,
  type Fields,
  isUuid,
  MANY_ROWS,
  many,
  node,
  Permission,
  type Resource,
  reference,
  systemUser,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { OpsJobs } from './jobs.ts';
import type { PushCheckInput } from './push/check.ts';
import type { PushInput } from './push/push-run.ts';
import type { PushScope } from './push/store.ts';
import { type AssetScope, isAnyOf } from './store.ts';

const ACTIONS = [
  { value: 'test', label: { en: 'Test connectivity', zh: '测试可连接性' } },
  { value: 'refresh', label: { en: 'Refresh hardware information', zh: '更新硬件信息' } },
] as const;
const ACTION = { en: 'Action', zh: '操作' };
const BODY = { action: choice({ label: ACTION, choices: ACTIONS }) };
const ASSETS_BODY = {
  ...BODY,
  assets: many({ label: { en: 'Assets', zh: '资产' }, to: 'asset', minItems: 1 }),
};
const NODE_BODY = {
  action: choice({
    label: ACTION,
    choices: [
      ...ACTIONS,
      { value: 'refresh_cache', label: { en: 'Refresh the tree', zh: '刷新树' } },
    ],
  }),
};
const SYSTEM_USER_BODY = {
  action: choice({
    label: ACTION,
    choices: [
      { value: 'test', label: { en: 'Test the account', zh: '测试账号' } },
      { value: 'push', label: { en: 'Push the account', zh: '推送账号' } },
      { value: 'push_check', label: { en: 'Push dry run', zh: '试运行推送' } },
      {
        value: 'push_failed',
        label: { en: 'Retry failed pushes', zh: '重新推送失败的账号' },
      },
    ],
  }),
  asset: reference({ label: asset.title, to: 'asset', required: false, nullable: true }),
};
const USERNAME: Fields = {
  username: text({ label: { en: 'Username', zh: '用户名' }, required: false }),
};
const TASK = samples({ task: exampleId('job') });

interface RouteOptions {
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly kinds: OpsJobs;
  readonly push: JobDefinition<PushInput>;
  readonly check: JobDefinition<PushCheckInput>;
}

/** Starts a test, a push or its dry run for a system user. */
async function startOnSystemUser(
  { engines, jobs, kinds, push, check }: RouteOptions,
  context: Context,
) {
  const { action, asset: assetId } = readBody(context, SYSTEM_USER_BODY);
  const row = await engineOf(engines, systemUser).reader.retrieve(
    parameter(context, 'id'),
    context,
  );
  // The asset must be visible to the caller.
  const on = assetId
    ? String((await engineOf(engines, asset).reader.retrieve(assetId, context)).id)
    : undefined;
  const username = context.query.get('username') || undefined;
  const options = { caller: callerOf(context), subject: String(row.name) };
  const id = String(row.id);
  const scope: PushScope =
    action === 'push_failed'
      ? { kind: 'failed' }
      : on
        ? { kind: 'asset', asset: on, ...(username && { username }) }
        : { kind: 'all' };
  if (action === 'push_check') {
    const task = await jobs.enqueue(check, { systemUser: id, ...(on && { asset: on }) }, options);
    context.reply.code(201);
    return { task: task ?? '' };
  }
  const task =
    action === 'test'
      ? await jobs.enqueue(
          kinds.testSystemUser,
          { id, ...(on && { asset: on }), ...(username && { username }) },
          options,
        )
      : await jobs.enqueue(push, { systemUser: id, scope }, options);
  context.reply.code(201);
  return { task: task ?? '' };
}

/** The object that a job starts from. */
interface Start {
  readonly resource: Resource;
  readonly scope: 'asset' | 'node' | 'admin_user';
  /** Field that names the object. */
  readonly label: string;
}

/**
 * Mounts the routes that start jobs on assets (assets.md, sections 2, 4 and 5). They return the id
 * of the job, whose log has a line per asset.
 */
export function mountOps(app: FastifyInstance, options: RouteOptions): void {
  const { engines, jobs, kinds } = options;
  /** Starts a job for an object that the caller may see. @throws NotFound */
  const start = async (
    context: Context,
    kind: JobDefinition<AssetScope>,
    { resource, scope, label }: Start,
  ) => {
    const row = await engineOf(engines, resource).reader.retrieve(
      parameter(context, 'id'),
      context,
    );
    return {
      task:
        (await jobs.enqueue(
          kind,
          { kind: scope, id: String(row.id) },
          { caller: callerOf(context), subject: String(row[label] ?? '') },
        )) ?? '',
    };
  };
  const kindOf = (action: 'test' | 'refresh' | 'refresh_cache') =>
    action === 'refresh' ? kinds.hardware : kinds.test;

  route(app, {
    method: 'POST',
    url: '/api/v1/assets/assets/:id/tasks/',
    access: Permission.ADMIN,
    area: 'operation',
    summary: 'Start a job that tests the connection of an asset, or reads its hardware.',
    body: BODY,
    answer: TASK,
    status: 201,
    async handler(context) {
      const { action } = readBody(context, BODY);
      const started = await start(context, kindOf(action), {
        resource: asset,
        scope: 'asset',
        label: 'hostname',
      });
      context.reply.code(201);
      return started;
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/assets/nodes/:id/tasks/',
    access: Permission.ADMIN,
    area: 'operation',
    summary:
      'Start a job that tests the connections of the assets below a node, or reads their hardware. A refresh of the tree starts no job.',
    body: NODE_BODY,
    answer: TASK,
    status: 201,
    async handler(context) {
      const { action } = readBody(context, NODE_BODY);
      context.reply.code(201);
      // Clients send it with a zero id. Counts are always exact here, so it is a no-op.
      if (action === 'refresh_cache' && isUuid(parameter(context, 'id'))) return { task: '0' };
      return start(context, kindOf(action), { resource: node, scope: 'node', label: 'full_value' });
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/assets/system-users/:id/tasks/',
    access: Permission.ADMIN,
    area: 'operation',
    summary:
      'Start a job for a system user on its assets: test the sign-in, push its accounts, or preview the push (`push_check`), on all assets, on one, or on those that failed. `username` selects one account of a system user whose accounts have the names of its users.',
    query: USERNAME,
    body: SYSTEM_USER_BODY,
    answer: TASK,
    status: 201,
    handler: (context) => startOnSystemUser(options, context),
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/assets/admin-users/:id/connective/',
    access: Permission.ADMIN,
    area: 'operation',
    summary: 'Start a job that tests the connections of the assets of an admin user.',
    answer: TASK,
    handler: (context) =>
      start(context, kinds.test, { resource: adminUser, scope: 'admin_user', label: 'name' }),
  });
}

/** Mounts the route that starts one job on several assets. */
export function mountSeveralAssets(
  app: FastifyInstance,
  { engines, jobs, kinds }: Pick<RouteOptions, 'engines' | 'jobs' | 'kinds'>,
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/assets/assets/tasks/',
    access: Permission.ADMIN,
    area: 'operation',
    summary: 'Start a job that tests the connections of several assets, or reads their hardware.',
    body: ASSETS_BODY,
    answer: TASK,
    status: 201,
    async handler(context) {
      const { action, assets } = readBody(context, ASSETS_BODY);
      const ids = [...new Set(assets as readonly string[])];
      if (ids.length > MANY_ROWS) throw invalid('assets', 'list_too_long', { max: MANY_ROWS });
      const { reader } = engineOf(engines, asset);
      const rows = await reader.find(isAnyOf(ids), ['id', 'hostname'], ids.length, context);
      if (rows.length < ids.length) throw notFound();
      const subject = rows.length === 1 ? String(rows[0]?.hostname) : '';
      const task = await jobs.enqueue(
        action === 'refresh' ? kinds.hardware : kinds.test,
        { kind: 'assets', ids },
        { caller: callerOf(context), subject },
      );
      context.reply.code(201);
      return { task: task ?? '' };
    },
  });
}
