import { adhocExecution, opsTask, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { parameter, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { Conflict, NotFound } from '../../../platform/errors.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { isRunning, taskOf } from './store.ts';

const TASK = samples({ task: exampleId('job') });

interface RouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly jobs: Jobs;
}

/** Mounts the routes that start tasks manually (terminal.md, section 2). */
export function mountTasks(app: FastifyInstance, { db, engines, jobs }: RouteOptions): void {
  /** Starts a task on all hosts, or on those that failed in a run. */
  const start = async (context: Context, id: string, again?: string) => {
    const task = await taskOf(id, db);
    const kind = task && jobs.definitionOf(task.job);
    if (!task || !kind) throw new NotFound('not_found');
    if (await isRunning(id, db)) throw new Conflict('already_runs');
    const input = kind.input(again ? { ...(task.input as object), again } : task.input);
    const started = await jobs.enqueue(kind, input, {
      caller: callerOf(context),
      subject: task.subject,
    });
    if (started === undefined) throw new Conflict('already_runs');
    return { task: started };
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/ops/tasks/:id/run/',
    access: Permission.ADMIN,
    area: 'operation',
    summary: 'Start a task now. The answer names its job, which is the execution as well.',
    answer: TASK,
    async handler(context) {
      const row = await engineOf(engines, opsTask).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      return start(context, String(row.id));
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/ops/adhoc-executions/:id/retry-failed/',
    access: Permission.ADMIN,
    area: 'operation',
    summary: 'Start the task of an execution again, on the hosts that failed in it only.',
    answer: TASK,
    status: 201,
    async handler(context) {
      const row = await engineOf(engines, adhocExecution).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      if ((row.stat as { failed: number }).failed === 0) throw new Conflict('no_failed_hosts');
      const started = await start(context, String(row.task), String(row.id));
      context.reply.code(201);
      return started;
    },
  });
}
