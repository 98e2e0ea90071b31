import {
  type Backups,
  DRILL_PROBLEMS,
  type DrillRow,
  formatDatetime,
  Permission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { newestBackups } from './backups.ts';
import { type Drill, newestDrills } from './drills.ts';

const URL = '/api/v1/common/backups/';
const LISTED = 20;

const EXAMPLE: Backups = {
  backups: [
    {
      id: exampleId('backup'),
      date: '2026-01-31 01:00:00 +0800',
      seconds: 42,
      folder: '/backup/sallyport-2026-01-31',
      bytes: 83_886_080,
      recordings: 1_200,
      has_recordings: true,
      has_keys: true,
    },
  ],
  drills: [
    {
      id: exampleId('drill'),
      date: '2026-01-31 02:30:00 +0800',
      seconds: 61,
      folder: '/backup/sallyport-2026-01-31',
      date_backup: '2026-01-31 01:00:00 +0800',
      passed: true,
      reason: '',
      tables: 110,
      rows: 120_000,
      recordings: 200,
      secrets: 96,
      started_by: '',
    },
    {
      id: exampleId('drill'),
      date: '2026-01-30 02:30:00 +0800',
      seconds: null,
      folder: '/backup/sallyport-2026-01-30',
      date_backup: null,
      passed: null,
      reason: '',
      tables: 0,
      rows: 0,
      recordings: 0,
      secrets: 0,
      started_by: 'Li Wei(li.wei)',
    },
  ],
  days: 7,
};

const secondsBetween = (start: Date, end: Date) =>
  Math.round((end.getTime() - start.getTime()) / 1_000);

function drillRow(drill: Drill, { language, zone }: Context): DrillRow {
  const { id, problem, detail, date_finished: end, date_started: start, date_backup: of } = drill;
  const { folder, tables, rows, recordings, secrets, started_by } = drill;
  return {
    id,
    date: formatDatetime(start, zone),
    seconds: end && secondsBetween(start, end),
    folder,
    date_backup: of && formatDatetime(of, zone),
    passed: problem === null ? null : problem === '',
    reason: problem
      ? [DRILL_PROBLEMS[problem]?.[language] ?? problem, detail].filter(Boolean).join(': ')
      : '',
    tables,
    rows,
    recordings,
    secrets,
    started_by,
  };
}

/** Routes of backups and restore drills, for roles above organizations. */
export function mountBackups(
  app: FastifyInstance,
  {
    db,
    jobs,
    job,
    settings,
  }: {
    readonly db: Db;
    readonly jobs: Jobs;
    readonly job: JobDefinition<void>;
    readonly settings: SettingsService;
  },
): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.SUPER | Permission.AUDIT,
    summary: 'The newest backups, and the newest restore drills with their results.',
    answer: samples<Backups>(EXAMPLE),
    async handler(context): Promise<Backups> {
      const [backups, drills] = await Promise.all([
        newestBackups(db, LISTED),
        newestDrills(db, LISTED),
      ]);
      return {
        backups: backups.map(({ date_started: start, date_finished: end, ...row }) => ({
          ...row,
          date: formatDatetime(end, context.zone),
          seconds: secondsBetween(start, end),
        })),
        drills: drills.map((drill) => drillRow(drill, context)),
        days: settings.get('BACKUP_DRILL_DAYS'),
      };
    },
  });
  route(app, {
    method: 'POST',
    url: `${URL}drill/`,
    access: Permission.SUPER | Permission.ADMIN,
    summary: 'Start a job that restores the newest backup into a scratch database and verifies it.',
    status: 201,
    answer: samples({ job: exampleId('job') }),
    async handler(context) {
      const id = await jobs.enqueue(job, undefined, { caller: callerOf(context) });
      if (id === undefined) throw new Conflict('drill_running');
      context.reply.code(201);
      return { job: id };
    },
  });
}
