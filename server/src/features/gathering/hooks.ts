import {
  DEFAULT_INTERVAL_HOURS,
  gatheredUser,
  gatherUserExecution,
  gatherUserResult,
  gatherUserTask,
  isUuid,
  type LocalText,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Forbidden } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { idFilter } from '../../resources/read/scope.ts';
import { likePattern } from '../../resources/read/search.ts';
import {
  assertPeriod,
  type PeriodicOptions,
  periodColumn,
  presentPeriods,
} from '../../resources/write/period.ts';
import { outcomeOfRun, presentStates } from '../jobs/index.ts';

/** True if an asset is below the node, or on it with `show_current_asset=1`. */
function nodeCondition(value: string, { actor }: Caller, query: URLSearchParams): Sql {
  const node = sql`${isUuid(value) ? sql`n.id = ${value}` : sql`n.key = ${value}`}
    and n.org_id = ${actor.organization.id}`;
  return query.get('show_current_asset') === '1'
    ? sql`t.asset_id in (select held.asset_id from node_assets held
      join node n on n.id = held.node_id where ${node})`
    : sql`t.asset_id in (select below.asset_id from asset_ancestor below
      join node n on n.id = below.node_id where ${node})`;
}

const ofAsset = (column: Sql): Sql => sql`(select ${column} from asset a where a.id = t.asset_id)`;

export const gatheredUserHooks = hooksFor(gatheredUser, {
  columns: { hostname: () => ofAsset(sql`a.hostname`), ip: () => ofAsset(sql`a.ip`) },
  filters: {
    asset_id: idFilter('asset_id'),
    asset__ip: (value) => sql`${ofAsset(sql`a.ip`)} = ${value}`,
    asset__hostname: (value) => sql`${ofAsset(sql`a.hostname`)} = ${value}`,
    node: nodeCondition,
    node_id: nodeCondition,
  },
  search: (words) => {
    const hosts = sql`(select lower(a.hostname || ' ' || a.ip) from asset a
      where a.id = t.asset_id)`;
    const conditions = words.map(
      (word) =>
        sql`(t.search_text like ${likePattern(word)} or ${hosts} like ${likePattern(word)})`,
    );
    return sql`(${sql.join(conditions, sql` and `)})`;
  },
});

export const createGatherTaskHooks = ({ isLicensed, zone }: PeriodicOptions) =>
  hooksFor(gatherUserTask, {
    columns: {
      periodic_display: periodColumn,
      executed_times: () =>
        sql`(select count(*)::int from gather_user_execution e where e.task_id = t.id)`,
    },
    present: (rows, { caller: { language } }) => presentPeriods(rows, language, zone()),
    beforeSave(values, previous) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      assertPeriod(values, previous, DEFAULT_INTERVAL_HOURS);
    },
  });

const OUTCOME = outcomeOfRun({
  id: sql`t.id`,
  isFinished: sql`t.is_finished`,
  done: sql`t.succeed`,
  failed: sql`t.failed`,
});

export const gatherExecutionHooks = hooksFor(gatherUserExecution, {
  present: (rows, { caller: { language } }) => presentStates(rows, language),
  columns: {
    outcome: () => OUTCOME,
    state_display: () => sql`jsonb_build_array(${OUTCOME}, t.failed, t.total)`,
    timedelta: () =>
      sql`round(extract(epoch from coalesce(t.date_finished, now()) - t.date_start), 2)::float8`,
  },
});

export const gatherResultHooks = hooksFor(gatherUserResult, {
  columns: { reason: () => sql`t.reason` },
  present(rows, { caller: { language } }) {
    for (const row of rows)
      if ('reason' in row) row.reason = row.reason ? say(row.reason as LocalText, language) : '';
  },
});
