import type { Language } from '@sallyport/contract';
import {
  cloudInstance,
  cloudSyncExecution,
  cloudSyncTask,
  DEFAULT_INTERVAL_HOURS,
  type LocalText,
  REGION_PATTERN,
  say,
} from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor, type StoredRow } from '../../resources/hooks.ts';
import { assertPeriod, periodColumn, presentPeriods } from '../../resources/write/period.ts';
import { words } from './words.ts';

function presentReasons(rows: readonly StoredRow[], language: Language): void {
  for (const row of rows)
    if ('reason' in row) row.reason = row.reason ? say(row.reason as LocalText, language) : '';
}

export const createTaskHooks = ({ isLicensed }: { readonly isLicensed: () => boolean }) =>
  hooksFor(cloudSyncTask, {
    columns: {
      periodic_display: periodColumn,
      history_count: () =>
        sql`(select count(*)::int from cloud_sync_execution e where e.task_id = t.id)`,
      instance_count: () =>
        sql`(select count(*)::int from cloud_instance i where i.task_id = t.id)`,
    },
    present: (rows, { caller: { language } }) => presentPeriods(rows, language),
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
