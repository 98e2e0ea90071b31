import { hostname } from 'node:os';
import {
  formatDatetime,
  type Language,
  Permission,
  type Problem,
  say,
  type TaskMonitor,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { outcomeText } from './conditions.ts';
import {
  failedLately,
  queuesLately,
  runningOrWaiting,
  type ServerRow,
  serversSeen,
} from './monitor-store.ts';

const MOMENT = '2026-01-31 08:30:00 +0800';
const JOB = {
  id: exampleId('job'),
  title: 'Test asset connectivity',
  subject: 'web-prod-01',
  started_by: 'Li Wei(li.wei)',
  state: 'running' as const,
};
const EXAMPLE: TaskMonitor = {
  queues: [
    {
      name: 'test-assets',
      title: JOB.title,
      waiting: 0,
      running: 1,
      succeeded: 12,
      failed: 1,
      canceled: 0,
      average_seconds: 4.2,
      longest_seconds: 31.5,
      date_last: MOMENT,
      workers: 4,
    },
  ],
  current: [{ ...JOB, done: 3, total: 40, seconds: 2.5, date_created: MOMENT }],
  failed: [
    {
      ...JOB,
      state: 'failed',
      reason: 'The job took too long and was stopped.',
      seconds: 7200,
      date_created: MOMENT,
      date_finished: MOMENT,
    },
  ],
  servers: [
    {
      id: 'bastion-1',
      host: '10.0.0.1',
      is_alive: true,
      is_stopping: false,
      date_started: MOMENT,
      date_seen: MOMENT,
    },
  ],
};

/** A job that waits, of a kind that has not ended yet: without times. */
const WAITING: TaskMonitor = {
  ...EXAMPLE,
  queues: EXAMPLE.queues.map((queue) => ({
    ...queue,
    average_seconds: null,
    longest_seconds: null,
    date_last: null,
  })),
  current: EXAMPLE.current.map((one) => ({ ...one, state: 'queued', seconds: null })),
};

interface MonitorOptions {
  readonly db: Db;
  readonly jobs: Pick<Jobs, 'kindOf' | 'definitionOf'>;
  /** This server. A server that runs alone is not in the table of servers. */
  readonly self: { readonly id: string; readonly isAlone: boolean };
}

/**
 * Shows super administrators and super auditors the current background work of the installation
 * (terminal.md, section 2).
 */
export function mountMonitor(app: FastifyInstance, { db, jobs, self }: MonitorOptions): void {
  const titleOf = (name: string, language: Language) => {
    const kind = jobs.kindOf(name);
    return kind ? say(kind.title, language) : name;
  };
  route(app, {
    method: 'GET',
    url: '/api/v1/ops/task-monitor/',
    access: Permission.SUPER | Permission.AUDIT,
    area: 'jobs',
    summary:
      'The queues of the last day: waiting, running and failed jobs with reasons, and the working servers.',
    answer: samples<TaskMonitor>(EXAMPLE, WAITING),
    async handler({ language, zone }): Promise<TaskMonitor> {
      const date = (moment: Date) => formatDatetime(moment, zone);
      const [queues, current, failed, servers] = [
        await queuesLately(db),
        await runningOrWaiting(db),
        await failedLately(db),
        self.isAlone ? [alone(self.id)] : await serversSeen(db),
      ];
      return {
        queues: queues.map(({ date_last: last, ...queue }) => ({
          ...queue,
          title: titleOf(queue.name, language),
          date_last: last ? date(last) : null,
          workers: jobs.definitionOf(queue.name)?.concurrency ?? 1,
        })),
        current: current.map(({ name, date_created: created, ...row }) => ({
          ...row,
          title: titleOf(name, language),
          date_created: date(created),
        })),
        failed: failed.map(
          ({
            name,
            outcome,
            problem,
            failed: parts,
            total,
            date_created: created,
            date_finished: finished,
            ...row
          }) => ({
            ...row,
            title: titleOf(name, language),
            reason: problem
              ? describeProblem(problem as Problem, language)
              : row.state === 'succeeded'
                ? outcomeText(outcome, { failed: parts, total }, language)
                : '',
            date_created: date(created),
            date_finished: date(finished),
          }),
        ),
        servers: servers.map(({ date_started: started, date_seen: seen, ...server }) => ({
          ...server,
          date_started: date(started),
          date_seen: date(seen),
        })),
      };
    },
  });
}

function alone(id: string): ServerRow {
  const now = Date.now();
  return {
    id,
    host: hostname(),
    is_alive: true,
    is_stopping: false,
    date_started: new Date(now - process.uptime() * 1_000),
    date_seen: new Date(now),
  };
}
