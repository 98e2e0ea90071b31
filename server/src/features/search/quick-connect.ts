import { formatDatetime, QUICK_CONNECT_MOST, type QuickConnectAsset } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { compareNames } from '../../platform/natural-order.ts';
import { findGrantedAssets, type GrantService } from '../perms/index.ts';
import { weightOf } from './ranking.ts';
import { isOneOf, knownAssets } from './store.ts';

/** Places that favorites leave for recently used assets. */
const FOR_RECENT = 4;
/**
 * Assets that are checked for access. More than the list shows, as some may no longer be granted.
 */
const LOOKED_UP = 300;

/**
 * The assets that a user most likely connects to next: granted favorites by name, then recently
 * used ones, latest first.
 */
export async function quickConnect(
  { actor, zone }: Caller,
  db: Db,
  grants: GrantService,
): Promise<QuickConnectAsset[]> {
  const { favorites, uses } = await knownAssets(actor.userId, db);
  const now = new Date();
  const weights = new Map<string, number>();
  const dates = new Map<string, Date>();
  for (const use of uses) {
    weights.set(use.id, (weights.get(use.id) ?? 0) + weightOf(use, now));
    const known = dates.get(use.id);
    if (!known || known < use.date) dates.set(use.id, use.date);
  }
  const last = (id: string) => dates.get(id)?.getTime() ?? 0;
  const ids = [
    ...new Set([
      ...favorites,
      ...[...dates.keys()].toSorted((one, other) => last(other) - last(one)),
    ]),
  ].slice(0, LOOKED_UP);
  if (ids.length === 0) return [];
  const view = await grants.view({ userId: actor.userId, organizationId: undefined });
  const granted = await findGrantedAssets(db, view, isOneOf(ids), ids.length);
  const marked = new Set(favorites);
  const recent = granted
    .filter(({ id }) => !marked.has(id))
    .toSorted((one, other) => last(other.id) - last(one.id));
  const weight = (id: string) => weights.get(id) ?? 0;
  const room = QUICK_CONNECT_MOST - Math.min(recent.length, FOR_RECENT);
  // The most used favorites are selected, but sorted by name: each keeps its digit as shortcut.
  const starred = granted
    .filter(({ id }) => marked.has(id))
    .toSorted(
      (one, other) =>
        weight(other.id) - weight(one.id) || compareNames(one.hostname, other.hostname),
    )
    .slice(0, room)
    .toSorted((one, other) => compareNames(one.hostname, other.hostname));
  return [...starred, ...recent].slice(0, QUICK_CONNECT_MOST).map(({ id, hostname, ip }) => {
    const date = dates.get(id);
    return {
      id,
      hostname,
      ip,
      favorite: marked.has(id),
      date_last: date ? formatDatetime(date, zone) : null,
    };
  });
}
