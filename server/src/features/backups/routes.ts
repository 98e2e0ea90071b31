import {
  BACKUP_PROBLEMS,
  type BackupRow,
  type BackupSchedule,
  type Backups,
  DRILL_PROBLEMS,
  type DrillRow,
  formatDatetime,
  type Language,
  Permission,
  say,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { certificateSentence, PEER } from '../../platform/certificate-problem.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { newestBackups, storageName } from './backups.ts';
import { type Drill, newestDrills } from './drills.ts';

const URL = '/api/v1/common/backups/';
const LISTED = 20;

const FAILED: BackupRow = {
  id: exampleId('backup'),
  date: '2026-01-30 01:00:00 +0800',
  state: 'failed',
  is_scheduled: true,
  reason:
    'Too little free disk space: /backup/sallyport has 90 MiB free; the backup and the disk reserve need 612.',
  has_folder: false,
  server: 'bastion-1',
  storage: '',
  stored: null,
  seconds: 0,
  folder: '',
  bytes: 0,
  recordings: 0,
  has_recordings: false,
  has_keys: false,
};

const EXAMPLE: Backups = {
  schedule: {
    enabled: true,
    every_days: 1,
    hour: 1,
    recordings: false,
    storage: 'ceph',
    keep_folder: true,
    keep_last: 7,
    keep_days: 30,
    running: false,
  },
  backups: [
    {
      id: exampleId('backup'),
      date: '2026-01-31 01:00:00 +0800',
      state: 'complete',
      is_scheduled: true,
      reason: '',
      has_folder: true,
      server: 'bastion-1',
      storage: 'ceph',
      stored: {
        key: 'sallyport-backups/sallyport-2026-01-31t01-00-00-0f3a9c5d.spbackup',
        bytes: 83_890_000,
        date: '2026-01-31 01:00:00 +0800',
      },
      seconds: 42,
      folder: '/backup/sallyport-2026-01-31t01-00-00-0f3a9c5d',
      bytes: 83_886_080,
      recordings: 1_200,
      has_recordings: true,
      has_keys: true,
    },
    FAILED,
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

function inWords(reason: string, detail: string, language: Language): string {
  const sentence = certificateSentence(detail, PEER.storage);
  return [reason, sentence ? say(sentence, language) : detail].filter(Boolean).join(': ');
}

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
      ? inWords(DRILL_PROBLEMS[problem]?.[language] ?? problem, detail, language)
      : '',
    tables,
    rows,
    recordings,
    secrets,
    started_by,
  };
}

type NewestBackup = Awaited<ReturnType<typeof newestBackups>>[number];

function backupRow(backup: NewestBackup, { language, zone }: Context): BackupRow {
  const { date_started: start, date_finished: end, problem, detail, ...row } = backup;
  const { stored_key: key, stored_bytes: bytes, date_stored: stored, ...facts } = row;
  return {
    ...facts,
    date: formatDatetime(end, zone),
    seconds: secondsBetween(start, end),
    reason: problem
      ? inWords(BACKUP_PROBLEMS[problem]?.[language] ?? problem, detail, language)
      : '',
    stored:
      key !== null && stored
        ? { key, bytes: bytes ?? 0, date: formatDatetime(stored, zone) }
        : null,
  };
}

interface BackupRoutes {
  readonly db: Db;
  readonly jobs: Jobs;
  readonly drillJob: JobDefinition<void>;
  readonly backupJob: JobDefinition<void>;
  readonly settings: SettingsService;
}

async function scheduleOf({
  db,
  jobs,
  backupJob,
  settings,
}: BackupRoutes): Promise<BackupSchedule> {
  const [storage, latest] = await Promise.all([
    storageName(db, settings.get('BACKUP_STORAGE')),
    jobs.latest(backupJob),
  ]);
  return {
    enabled: settings.get('BACKUP_ENABLED'),
    every_days: settings.get('BACKUP_EVERY_DAYS'),
    hour: settings.get('BACKUP_HOUR'),
    recordings: settings.get('BACKUP_RECORDINGS'),
    storage,
    keep_folder: settings.get('BACKUP_KEEP_FOLDER'),
    keep_last: settings.get('BACKUP_KEEP_LAST'),
    keep_days: settings.get('BACKUP_KEEP_DAYS'),
    running: latest !== undefined && latest.date_finished === null,
  };
}

/** Routes of backups and restore drills, for roles above organizations. */
export function mountBackups(app: FastifyInstance, options: BackupRoutes): void {
  const { db, jobs, drillJob, backupJob, settings } = options;
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.SUPER | Permission.AUDIT,
    area: 'operation',
    summary: 'The newest backups, and the newest restore drills with their results.',
    answer: samples<Backups>(EXAMPLE),
    async handler(context): Promise<Backups> {
      const [schedule, backups, drills] = await Promise.all([
        scheduleOf(options),
        newestBackups(db, LISTED),
        newestDrills(db, LISTED),
      ]);
      return {
        schedule,
        backups: backups.map((backup) => backupRow(backup, context)),
        drills: drills.map((drill) => drillRow(drill, context)),
        days: settings.get('BACKUP_DRILL_DAYS'),
      };
    },
  });
  route(app, {
    method: 'POST',
    url: URL,
    access: Permission.SUPER | Permission.ADMIN,
    area: 'operation',
    summary: 'Start a job that makes a backup as the settings say.',
    status: 201,
    answer: samples({ job: exampleId('job') }),
    async handler(context) {
      const id = await jobs.enqueue(backupJob, undefined, { caller: callerOf(context) });
      if (id === undefined) throw new Conflict('backup_running');
      context.reply.code(201);
      return { job: id };
    },
  });
  route(app, {
    method: 'POST',
    url: `${URL}drill/`,
    access: Permission.SUPER | Permission.ADMIN,
    area: 'operation',
    summary: 'Start a job that restores the newest backup into a scratch database and verifies it.',
    status: 201,
    answer: samples({ job: exampleId('job') }),
    async handler(context) {
      const id = await jobs.enqueue(drillJob, undefined, { caller: callerOf(context) });
      if (id === undefined) throw new Conflict('drill_running');
      context.reply.code(201);
      return { job: id };
    },
  });
}
