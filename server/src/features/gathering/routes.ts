import { GATHER_FORM, gatherUserTask, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict, Rejected } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { countOf } from '../ops/index.ts';
import type { GatherInput } from './store.ts';

interface RouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly kind: JobDefinition<GatherInput>;
}

/** Mounts the route that starts a gather task manually. */
export function mountGathering(
  app: FastifyInstance,
  { db, engines, jobs, kind }: RouteOptions,
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/xpack/gathered-user/task-executions/',
    access: Permission.ADMIN,
    area: 'operation',
    licensed: true,
    summary: 'Start a gather task now. The answer names its job, which is the execution as well.',
    body: GATHER_FORM,
    answer: samples({ task: exampleId('job') }),
    status: 201,
    async handler(context) {
      const row = await engineOf(engines, gatherUserTask).reader.retrieve(
        readBody(context, GATHER_FORM).task,
        context,
      );
      const id = String(row.id);
      if ((await countOf({ kind: 'gather_user_task', id }, db)) === 0)
        throw new Rejected('no_assets_below_nodes');
      const task = await jobs.enqueue(
        kind,
        { task: id },
        { caller: callerOf(context), subject: String(row.name) },
      );
      if (task === undefined) throw new Conflict('already_runs');
      context.reply.code(201);
      return { task };
    },
  });
}
