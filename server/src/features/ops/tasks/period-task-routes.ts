import { boolean, opsTask, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../../http/openapi/examples.ts';
import { answerList } from '../../../http/resources/answer-list.ts';
import { parameter, readBody, route } from '../../../http/route.ts';
import { pagedListOf, samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { StoredRow } from '../../../resources/hooks.ts';
import { IS_DESCRIBED, kindsOf } from './store.ts';

const URL = '/api/v1/ops/celery/period-tasks/';
const BODY = { enabled: boolean({ label: { en: 'Enabled', zh: '启用' } }) };

/** A task with its schedule, in the format of existing clients. */
interface PeriodTask {
  readonly id: string;
  readonly name: string;
  readonly task: string;
  readonly enabled: boolean;
  readonly description: string;
  readonly last_run_at: string | null;
  readonly total_run_count: number;
}

const EXAMPLE: PeriodTask = {
  id: exampleId('ops_task'),
  name: 'Test assets connectivity: web-01',
  task: 'test-assets',
  enabled: true,
  description: 'Every night',
  last_run_at: '2026-01-31 08:30:00 +0800',
  total_run_count: 3,
};

/**
 * Mounts the described tasks and their schedule (terminal.md, section 2): another view of
 * `ops/tasks/`.
 */
export function mountPeriodTasks(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
): void {
  const toPeriodTasks = async (rows: readonly StoredRow[]): Promise<PeriodTask[]> => {
    const kinds = await kindsOf(
      rows.map(({ id }) => String(id)),
      db,
    );
    return rows.map((row) => ({
      id: String(row.id),
      name: String(row.name),
      task: kinds.get(String(row.id)) ?? '',
      enabled: row.is_periodic === true,
      description: String(row.comment),
      last_run_at: row.date_last_run === null ? null : String(row.date_last_run),
      total_run_count: (row.summary as { readonly total: number }).total,
    }));
  };

  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.SUPER | Permission.ADMIN,
    area: 'operation',
    summary: 'List the tasks of the organization that have a description, with their schedules.',
    answer: pagedListOf(samples<PeriodTask>(EXAMPLE, { ...EXAMPLE, last_run_at: null })),
    async handler(context) {
      const { reader } = engineOf(engines, opsTask);
      return answerList<PeriodTask>(
        {
          resource: opsTask,
          async list(query, caller) {
            const page = await reader.list(query, caller, IS_DESCRIBED);
            if (page === undefined) return undefined;
            return Array.isArray(page)
              ? toPeriodTasks(page)
              : { count: page.count, results: await toPeriodTasks(page.results) };
          },
          async *stream(query, caller, forFile) {
            for await (const rows of reader.stream(query, caller, forFile, {
              within: IS_DESCRIBED,
            }))
              yield await toPeriodTasks(rows);
          },
        },
        context,
      );
    },
  });

  route(app, {
    method: 'PATCH',
    url: `${URL}:id/`,
    access: Permission.SUPER | Permission.ADMIN,
    area: 'operation',
    summary: 'Enable or disable the schedule of a task. It needs an interval or a crontab.',
    body: BODY,
    answer: samples<PeriodTask>(EXAMPLE),
    async handler(context) {
      const { enabled } = readBody(context, BODY);
      const { reader, writer } = engineOf(engines, opsTask);
      const id = String((await reader.retrieve(parameter(context, 'id'), context)).id);
      await writer.change(id, { is_periodic: enabled }, context, {
        query: context.query,
      });
      const [row] = await toPeriodTasks([await reader.retrieve(id, context)]);
      return row;
    },
  });
}
