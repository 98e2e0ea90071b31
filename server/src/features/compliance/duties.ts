import type { Duty, LocalText } from '@sallyport/contract';
import { FIRST_ADMINISTRATOR } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Fact } from './fact.ts';

/** Maximum names in a fact. */
const MOST_NAMES = 10;

const NAMES: LocalText = { en: '{names}', zh: '{names}' };
const AND_MORE: LocalText = { en: '{names} and {more} more', zh: '{names} 等共 {count} 个账号' };
const NONE: LocalText = { en: 'None', zh: '无' };

interface Holders {
  /** A duty, or `several` for accounts whose rights cover more than one. */
  readonly kind: Duty | 'several';
  readonly count: number;
  readonly names: readonly string[];
}

function factOf(found: Holders | undefined, isMet: (count: number) => boolean): Fact {
  if (!found) return { met: isMet(0), value: NONE };
  const { count } = found;
  const more = count - found.names.length;
  const names = found.names.join(', ');
  return { met: isMet(count), value: more > 0 ? AND_MORE : NAMES, params: { names, more, count } };
}

/**
 * Reads who holds which duty, and which active accounts hold several: administrators of the
 * installation without a duty, except for the first one, and administrators of organizations.
 */
export async function readDuties(
  db: Db,
): Promise<Readonly<Record<`duty_${Duty}` | 'several_duties', Fact>>> {
  const { rows } = await sql<Holders>`
    with held as (
      select name || '(' || username || ')' as label,
        case when duty <> '' then duty else 'several' end as kind
      from account a
      where is_active and coalesce(date_expired > now(), true)
        and (duty <> '' or role = 'Admin' and username <> ${FIRST_ADMINISTRATOR}
          or exists (select from organization_member m
            where m.user_id = a.id and m.role = 'Admin')))
    select kind, count(*)::int as count, (array_agg(label order by label))[1:${MOST_NAMES}] as names
    from held group by kind`.execute(db);
  const of = (kind: Holders['kind']) => rows.find((row) => row.kind === kind);
  const isHeld = (count: number) => count > 0;
  return {
    duty_system: factOf(of('system'), isHeld),
    duty_security: factOf(of('security'), isHeld),
    duty_audit: factOf(of('audit'), isHeld),
    several_duties: factOf(of('several'), (count) => count === 0),
  };
}
