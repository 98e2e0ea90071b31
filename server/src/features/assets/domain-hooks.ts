import { domain } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { type AttentionConditions, attentionFilter } from '../../resources/read/scope.ts';
import { isSiteAway } from './gateway-hooks.ts';
import { assetsOfReference } from './reference-sums.ts';

/** Domains of one connection; `domain_route` in the database ends there, too. */
export const MOST_DOMAINS = 3;

/** Domains with a site that has joined and is not connected. */
export const DOMAIN_ATTENTION = {
  sites_away: () => sql`t.id in (select t.domain_id from gateway t where ${isSiteAway})`,
} satisfies AttentionConditions;

export const domainHooks = hooksFor(domain, {
  filters: { attention: attentionFilter(DOMAIN_ATTENTION) },
  columns: {
    asset_count: () => assetsOfReference,
    gateway_count: () => sql`(select count(*) from gateway g where g.domain_id = t.id)`,
  },
  // Two changes at a time could close a circle that neither of them sees.
  async prepare(values, { tx }) {
    if (values.some(({ through }) => through))
      await sql`select pg_advisory_xact_lock(hashtext('sallyport domains'))`.execute(tx);
  },
  async beforeSave({ through }, previous, { tx }) {
    if (!through) return;
    const id = previous?.id ?? null;
    const sites = await sql`
      select 1 from gateway where domain_id = ${id} and protocol = 'site'`.execute(tx);
    if (sites.rows.length > 0) throw new Invalid({ through: [{ code: 'site_behind_domain' }] });
    const { rows } = await sql<{ name: string; is_circle: boolean; amount: number }>`
      with recursive behind as (
        select ${id}::uuid as id, 1 as level
        union all
        select d.id, behind.level + 1 from behind join domain d on d.through_id = behind.id
          where behind.level < ${MOST_DOMAINS}
      )
      select d.name, exists (select 1 from domain_route(d.id) step where step.domain_id = ${id})
          as is_circle,
        (select max(level) from behind) + (select count(*) from domain_route(d.id))::integer
          as amount
      from domain d where d.id = ${through}`.execute(tx);
    const [row] = rows;
    if (row?.is_circle)
      throw new Invalid({ through: [{ code: 'domain_cycle', params: { name: row.name } }] });
    if (row && row.amount > MOST_DOMAINS)
      throw new Invalid({ through: [{ code: 'domain_too_deep', params: { max: MOST_DOMAINS } }] });
  },
});
