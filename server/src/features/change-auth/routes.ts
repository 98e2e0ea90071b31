import {
  asset,
  CHANGE_AUTH_FORM,
  changeAuthExecution,
  changeAuthPlan,
  changeAuthSubtask,
  many,
  Permission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { answerList } from '../../http/resources/answer-list.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { pagedListOf, rowOf, samples } from '../../http/shapes.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Conflict } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { type ChangeInput, directAssets, isOfPlan } from './plan-store.ts';
import { type VersionInput, versionOfExecution } from './version.ts';

const MOVED = { assets: many({ label: { en: 'Assets', zh: '资产' }, to: 'asset', minItems: 1 }) };
const TASK = samples({ task: exampleId('job') });

interface RouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly kind: JobDefinition<ChangeInput>;
  readonly setVersion: JobDefinition<VersionInput>;
}

async function start<Input>(
  jobs: Jobs,
  context: Context,
  definition: JobDefinition<Input>,
  { input, subject }: { readonly input: Input; readonly subject: string },
) {
  const task = await jobs.enqueue(definition, input, { caller: callerOf(context), subject });
  if (task === undefined) throw new Conflict('already_runs');
  return { task };
}

/** Changes the account of one server again. */
async function retrySubtask(
  { db, engines, jobs, kind, setVersion }: RouteOptions,
  context: Context,
) {
  const subtask = await engineOf(engines, changeAuthSubtask).reader.retrieve(
    parameter(context, 'id'),
    context,
  );
  if (subtask.can_retry !== true) throw new Conflict('job_not_retryable');
  const execution = await engineOf(engines, changeAuthExecution).reader.retrieve(
    String(subtask.plan_execution),
    context,
  );
  const again = { subtask: String(subtask.id) };
  const version =
    execution.plan === null ? await versionOfExecution(String(execution.id), db) : undefined;
  const subject = String(subtask.hostname);
  if (version !== undefined)
    return start(jobs, context, setVersion, { input: { version, ...again }, subject });
  return start(jobs, context, kind, {
    input: { plan: String(execution.plan), ...again },
    subject,
  });
}

/**
 * Mounts the routes of plans (permissions.md, section 6.5): start a plan, retry one server, list
 * the assets of a plan, add and remove assets.
 */
export function mountChangeAuth(app: FastifyInstance, options: RouteOptions): void {
  const { db, engines, jobs, kind } = options;

  route(app, {
    method: 'POST',
    url: `/api/v1/${changeAuthExecution.path}/`,
    access: Permission.ADMIN,
    area: 'secrets',
    licensed: true,
    summary:
      'Start a change-auth plan now. The answer names its job, which is the execution as well.',
    body: CHANGE_AUTH_FORM,
    answer: TASK,
    status: 201,
    async handler(context) {
      const plan = await engineOf(engines, changeAuthPlan).reader.retrieve(
        readBody(context, CHANGE_AUTH_FORM).plan,
        context,
      );
      const started = await start(jobs, context, kind, {
        input: { plan: String(plan.id) },
        subject: String(plan.name),
      });
      context.reply.code(201);
      return started;
    },
  });

  route(app, {
    method: 'PUT',
    url: `/api/v1/${changeAuthSubtask.path}/:id/`,
    access: Permission.ADMIN,
    area: 'secrets',
    licensed: true,
    summary:
      'Repeat the change of an account on one server of a run, or determine the result of an interrupted change.',
    body: {},
    answer: TASK,
    handler: (context) => retrySubtask(options, context),
  });

  const planUrl = `/api/v1/${changeAuthPlan.path}/:id`;
  route(app, {
    method: 'GET',
    url: `${planUrl}/assets/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: 'The assets of a plan: those that it names, and those below its nodes.',
    answer: pagedListOf(rowOf(asset)),
    async handler(context) {
      const { id } = await engineOf(engines, changeAuthPlan).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const within = isOfPlan(String(id));
      const { reader } = engineOf(engines, asset);
      return answerList(
        {
          resource: asset,
          list: (query, caller) => reader.list(query, caller, within),
          stream: (query, caller, forFile) => reader.stream(query, caller, forFile, { within }),
        },
        context,
      );
    },
  });

  for (const placement of ['add', 'remove'] as const) {
    route(app, {
      method: 'PATCH',
      url: `${planUrl}/asset/${placement}/`,
      access: Permission.ADMIN,
      area: 'secrets',
      summary: {
        add: 'Name further assets in a plan.',
        remove: 'Take assets out of a plan; those below its nodes stay.',
      }[placement],
      body: MOVED,
      answer: rowOf(changeAuthPlan),
      async handler(context) {
        const { reader, writer } = engineOf(engines, changeAuthPlan);
        const id = String((await reader.retrieve(parameter(context, 'id'), context)).id);
        const { assets: moved } = readBody(context, MOVED);
        return transact(db, async (tx) => {
          const present = await directAssets(id, tx);
          const assets =
            placement === 'add'
              ? [...new Set([...present, ...moved])]
              : present.filter((one) => !moved.includes(one));
          return writer.change(id, { assets }, context, { tx });
        });
      },
    });
  }
}
