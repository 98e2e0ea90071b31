import { type JobLine, job, Permission, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { linesAfter } from './monitor-store.ts';

/** Maximum bytes of a log per answer. */
const MOST_BYTES = 10 * 1024;
/** Text for clients while a job is queued. */
const WAITING = { en: 'Waiting for the task to start', zh: '正在等待任务开始' };
/** Job states in the words of established clients. */
const STATES: Readonly<Record<string, string>> = {
  queued: 'PENDING',
  running: 'STARTED',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  canceled: 'REVOKED',
};

interface LogPart {
  readonly data: string;
  readonly end: boolean;
  /** Clients send it back to get the next part. */
  readonly mark: string;
}

interface TaskResult {
  readonly id: string;
  readonly result: string | null;
  readonly state: string;
}

/** Joins lines to text for a terminal. `last` is the last line that fits into `most` bytes. */
export function drawn(
  lines: readonly JobLine[],
  most: number,
): { readonly text: string; readonly last: number | undefined } {
  let text = '';
  let last: number | undefined;
  for (const { line, text: written } of lines) {
    const next = `${written.replaceAll('\n', '\r\n')}\r\n`;
    if (text !== '' && Buffer.byteLength(text) + Buffer.byteLength(next) > most) break;
    text += next;
    last = line;
  }
  return { text, last };
}

/**
 * Log and result of a job in the format of established clients (terminal.md, section 2). Jobs that
 * the caller may not see are not found.
 */
export function mountCelery(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
): void {
  const retrieve = (context: Context) =>
    engineOf(engines, job).reader.retrieve(parameter(context, 'id'), context);

  route(app, {
    method: 'GET',
    url: '/api/v1/ops/celery/task/:id/log/',
    access: Permission.USE,
    area: 'jobs',
    summary: 'The log of a job as text for a terminal, after `mark`, at most 10 KiB.',
    answer: samples<LogPart>({ data: 'web-prod-01: reachable (214 ms)\r\n', end: true, mark: '1' }),
    async handler(context): Promise<LogPart> {
      const row = await retrieve(context);
      if (row.state === 'queued')
        return { data: say(WAITING, context.language), end: false, mark: '0' };
      const mark = Number(context.query.get('mark') ?? 0);
      const after = Number.isSafeInteger(mark) && mark > 0 && mark < 2 ** 31 ? mark : 0;
      const lines = await linesAfter(db, String(row.id), after, context.zone);
      const { text, last = after } = drawn(lines, MOST_BYTES);
      return {
        data: text,
        end: row.state !== 'running' && (lines.at(-1)?.line ?? after) === last,
        mark: String(last),
      };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/ops/celery/task/:id/result/',
    access: Permission.USE,
    area: 'jobs',
    summary:
      'The state of a job. For a failed job the result is the reason; results of successful jobs are in their own resources.',
    answer: samples<TaskResult>(
      { id: exampleId('job'), result: null, state: 'SUCCESS' },
      { id: exampleId('job'), result: 'The job was canceled.', state: 'REVOKED' },
    ),
    async handler(context): Promise<TaskResult> {
      const row = await retrieve(context);
      return {
        id: String(row.id),
        result: String(row.reason ?? '') || null,
        state: STATES[String(row.state)] ?? 'PENDING',
      };
    },
  });
}
