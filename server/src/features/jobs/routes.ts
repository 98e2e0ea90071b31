import { type FailureReason, isUuid, type JobLog, job, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, route } from '../../http/route.ts';
import { rowOf, samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict, Forbidden, notFound } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { mayControl } from './conditions.ts';
import { groupByReason, unsuccessfulHosts } from './failure-reasons.ts';
import { linesAfter, ownerOf } from './monitor-store.ts';

/** Routes for the log of a job, and to cancel and repeat it. */
export function mountJobs(
  app: FastifyInstance,
  { db, engines, jobs, audit }: { db: Db; engines: Engines; jobs: Jobs; audit: AuditWriter },
): void {
  const retrieve = (context: Context) =>
    engineOf(engines, job).reader.retrieve(parameter(context, 'id'), context);

  /** Returns a job that the caller may change. @throws NotFound, Forbidden */
  const controlled = async (context: Context) => {
    const row = await retrieve(context);
    const owner = await ownerOf(db, String(row.id));
    if (!mayControl(context.actor, jobs.kindOf(String(row.name)), owner))
      throw new Forbidden('object_protected');
    return row;
  };
  const entry = (row: Readonly<Record<string, unknown>>, to: string) =>
    ({
      action: to === 'canceled' ? 'terminate' : 'update',
      resourceType: 'job',
      resource: String(row.title),
      resourceId: String(row.id),
      changes: { state: [row.state, to] },
    }) as const;

  route(app, {
    method: 'GET',
    url: '/api/v1/common/jobs/:id/log/',
    access: Permission.USE,
    area: 'jobs',
    summary: 'The newest lines that a job wrote.',
    answer: samples<JobLog>({
      lines: [{ line: 1, date: '2026-01-31 08:30:00 +0800', text: '100 accounts were read.' }],
    }),
    async handler(context): Promise<JobLog> {
      const row = await retrieve(context);
      return { lines: await linesAfter(db, String(row.id), 0, context.zone) };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/common/jobs/:id/reasons/',
    access: Permission.ADMIN,
    area: 'jobs',
    summary:
      'Hosts that failed or were skipped in a run of a task or a change-auth plan of the current organization, grouped by reason. Empty for other jobs.',
    answer: samples<readonly FailureReason[]>([
      {
        state: 'skipped',
        reason: 'No usable admin user: a username and a password or key are required.',
        count: 1,
        hosts: [{ asset: exampleId('asset'), name: 'web-prod-01' }],
        mend: 'admin_user',
      },
      {
        state: 'failed',
        reason: 'The server returned an unexpected response.',
        count: 1,
        hosts: [{ asset: null, name: 'web-prod-02' }],
        mend: null,
      },
    ]),
    async handler(context): Promise<readonly FailureReason[]> {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      const hosts = await unsuccessfulHosts(id, context.actor.organization.id, db);
      return groupByReason(hosts, context.language);
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/common/jobs/:id/cancel/',
    access: Permission.USE,
    area: 'jobs',
    summary: 'Cancel a job that waits or runs.',
    answer: rowOf(job),
    async handler(context) {
      const row = await controlled(context);
      if (!(await jobs.cancel(String(row.id)))) throw new Conflict('job_not_cancelable');
      await audit(db, context, entry(row, 'canceled'));
      return retrieve(context);
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/common/jobs/:id/retry/',
    access: Permission.USE,
    area: 'jobs',
    summary: 'Repeat a job that failed or was canceled.',
    answer: rowOf(job),
    async handler(context) {
      const row = await controlled(context);
      if (!(await jobs.retry(String(row.id)))) throw new Conflict('job_not_retryable');
      await audit(db, context, entry(row, 'queued'));
      return retrieve(context);
    },
  });
}
