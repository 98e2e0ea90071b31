import {
  asset,
  BULK_ACTIONS,
  choice,
  isUuid,
  node,
  Permission,
  reference,
  say,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { assertAccess, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { Invalid, invalid } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { keepSet } from '../../resources/read/resource-set.ts';
import { readItems } from '../../resources/write/plan.ts';
import { neededFor } from './change.ts';
import type { BulkInput } from './job.ts';
import { words } from './words.ts';

interface BulkRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly job: JobDefinition<BulkInput>;
}

const BODY = {
  resource: text({ label: { en: 'Resource', zh: '资源' }, max: 64 }),
  action: choice({
    label: { en: 'Action', zh: '操作' },
    choices: BULK_ACTIONS.map((value) => ({ value, label: { en: value, zh: value } })),
  }),
  spm: text({ label: { en: 'Named set of IDs', zh: '选择集' }, max: 36 }),
  target: reference({ label: { en: 'Target node', zh: '目标节点' }, to: 'node', required: false }),
};

/** Starts changes of all objects of a set. */
export function mountBulk(
  app: FastifyInstance,
  { db, engines, jobs, job }: BulkRouteOptions,
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/common/resources/bulk/',
    access: Permission.ADMIN,
    summary:
      'Start a job that deletes, updates, places or restores all objects of a set. It skips objects that cannot be changed; its log gives the reasons.',
    bodyShape: samples(
      {
        resource: 'asset',
        action: 'update',
        spm: exampleId('resource_set'),
        changes: { is_active: false },
      },
      {
        resource: 'asset',
        action: 'move',
        spm: exampleId('resource_set'),
        target: exampleId('node'),
      },
    ),
    // Parsed by the declaration of the resource.
    ignored: ['changes'],
    answer: samples({ job: exampleId('job') }),
    status: 201,
    async handler(context) {
      const { resource: name, action, spm, target = '' } = readBody(context, BODY);
      const { changes = {} } = (context.request.body ?? {}) as { readonly changes?: unknown };
      const engine = engines.get(name);
      if (!engine || engine.resource.parent)
        throw invalid('resource', 'not_choice', { value: name });
      const { resource } = engine;
      const needed = neededFor(resource, action);
      if (needed === undefined) throw invalid('action', 'not_choice', { value: action });
      assertAccess(needed, context.actor, context.language);
      if (action === 'update') {
        // Invalid values are reported now instead of once per object later.
        const [item] = readItems(
          resource,
          [{ id: exampleId(resource.name), body: changes, mode: 'change' }],
          context,
        );
        if (item && Object.keys(item.problems).length > 0) throw new Invalid(item.problems);
        if (!item || Object.keys(item.values).length === 0) throw invalid('changes', 'required');
      }
      if ((action === 'move' || action === 'add') && resource.name === asset.name)
        await engineOf(engines, node).reader.retrieve(target, context);
      const id = await db.transaction(async (tx) => {
        const set = isUuid(spm) ? await keepSet(spm, context.actor.userId, tx) : undefined;
        if (!set) throw invalid('spm', 'unknown_set');
        const subject = say(words.subject[action], context.language, {
          count: set.count,
          what: say(resource.title, context.language),
        });
        const input: BulkInput = {
          resource: resource.name,
          action,
          set: set.spm,
          count: set.count,
          changes: changes as Readonly<Record<string, unknown>>,
          target,
          remoteAddress: context.actor.remoteAddress,
          session: context.actor.session,
        };
        return jobs.enqueue(job, input, { caller: callerOf(context), subject, tx });
      });
      context.reply.code(201);
      return { job: id };
    },
  });
}
