import { X509Certificate } from 'node:crypto';
import {
  allows,
  cloudAccount,
  cloudInstance,
  cloudSyncExecution,
  cloudSyncTask,
  DEFAULT_INTERVAL_HOURS,
  type Language,
  type LocalText,
  Permission,
  REGION_PATTERN,
  say,
} from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { hooksFor, type StoredRow } from '../../resources/hooks.ts';
import {
  assertPeriod,
  type PeriodicOptions,
  periodColumn,
  presentPeriods,
} from '../../resources/write/period.ts';
import { VALIDITY, words } from './words.ts';

function presentReasons(rows: readonly StoredRow[], language: Language): void {
  for (const row of rows)
    if ('reason' in row) row.reason = row.reason ? say(row.reason as LocalText, language) : '';
}

export const createTaskHooks = ({ isLicensed, zone }: PeriodicOptions) =>
  hooksFor(cloudSyncTask, {
    columns: {
      periodic_display: periodColumn,
      history_count: () =>
        sql`(select count(*)::int from cloud_sync_execution e where e.task_id = t.id)`,
      instance_count: () =>
        sql`(select count(*)::int from cloud_instance i where i.task_id = t.id)`,
    },
    present: (rows, { caller: { language } }) => presentPeriods(rows, language, zone()),
    beforeSave(values, previous) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      assertPeriod(values, previous, DEFAULT_INTERVAL_HOURS);
      const wrong = values.regions?.find((region) => !REGION_PATTERN.test(region));
      if (wrong !== undefined) throw invalid('regions', 'cloud_region', { value: wrong });
    },
  });

/** The hooks of task runs. */
export const executionHooks = hooksFor(cloudSyncExecution, {
  columns: {
    summary: () =>
      sql`jsonb_build_object('new', t.made, 'unsync', t.unsync, 'sync', t.sync, 'released',
        t.released)`,
    reason: () => sql`t.reason`,
  },
  present: (rows, { caller: { language } }) => presentReasons(rows, language),
});

/** The hooks of instances. */
export const instanceHooks = hooksFor(cloudInstance, {
  columns: {
    reason: () =>
      sql`case when t.is_left_out then ${JSON.stringify(words.deleted)}::jsonb else t.reason end`,
  },
  present: (rows, { caller: { language } }) => presentReasons(rows, language),
});

/** Callers who may send requests of an account to another address than its provider. */
const CHOOSES_ENDPOINTS = Permission.SUPER | Permission.ADMIN;

export interface AccountHookOptions {
  isLicensed(): boolean;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly test: JobDefinition<{ readonly account: string }>;
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns true for `https://host` or `https://host:port` without a path. Requests add path and
 * signature.
 */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return (
    protocol === 'https:' &&
    username === '' &&
    password === '' &&
    pathname === '/' &&
    search === '' &&
    hash === ''
  );
}

/** The hooks of cloud accounts. Saving one starts a test of its key. */
export const createAccountHooks = ({ isLicensed, jobs, test }: AccountHookOptions) =>
  hooksFor(cloudAccount, {
    columns: { validity_display: () => sql`t.validity`, problem: () => sql`t.problem` },
    present(rows, { caller: { language } }) {
      for (const row of rows) {
        if ('validity_display' in row)
          row.validity_display = say(
            VALIDITY[row.validity_display === true ? 'true' : 'false'],
            language,
          );
        if ('problem' in row)
          row.problem = row.problem ? say(row.problem as LocalText, language) : '';
      }
    },
    beforeSave(values, previous, { caller: { actor } }) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      const moves = (['endpoint', 'ca_certificate'] as const).filter(
        (name) => values[name] !== undefined && values[name] !== (previous?.[name] ?? ''),
      );
      const [first] = moves;
      if (first && !allows(actor.permissions, CHOOSES_ENDPOINTS))
        throw invalid(first, 'cloud_endpoint_super');
      if (values.endpoint && !isEndpoint(values.endpoint))
        throw invalid('endpoint', 'cloud_endpoint');
      if (values.ca_certificate && !isCertificate(values.ca_certificate))
        throw invalid('ca_certificate', 'not_certificate');
      const leadsElsewhere =
        moves.includes('endpoint') ||
        (values.provider !== undefined && values.provider !== previous?.provider);
      // A stored secret is never sent to another address.
      if ((!previous || leadsElsewhere) && !values.access_key_secret)
        throw invalid('access_key_secret', 'required');
    },
    async afterSave(saved, { tx }) {
      for (const { id } of saved) await jobs.enqueue(test, { account: id }, { tx });
    },
  });
