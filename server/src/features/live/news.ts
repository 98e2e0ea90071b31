import { allows, CHANGE_SET, dutyCovers, isUuid, Permission } from '@sallyport/contract';
import { type Caller, mayUse } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import type { ChangeNews } from '../audits/index.ts';

/** Maximum ids of one resource per message. Beyond it, the message says "many". */
const MOST_IDS = 200;
/** Maximum resources per message. Beyond it, the message says "everything". */
const MOST_RESOURCES = 50;

/** Changes not yet sent to a listener, with limited size. */
export class Pending {
  #everything = false;
  #resources = new Map<string, Set<string> | null>();

  get isEmpty(): boolean {
    return !this.#everything && this.#resources.size === 0;
  }

  /** Adds changed objects. Null means many. */
  add(resource: string, ids: readonly string[] | null): void {
    if (this.#everything) return;
    const before = this.#resources.get(resource);
    const together = ids === null || before === null ? null : new Set([...(before ?? []), ...ids]);
    this.#resources.set(resource, together && together.size > MOST_IDS ? null : together);
    if (this.#resources.size > MOST_RESOURCES) this.addEverything();
  }

  addEverything(): void {
    this.#everything = true;
    this.#resources.clear();
  }

  /** Returns and clears the pending changes. Null means that anything may have changed. */
  take(): Readonly<Record<string, readonly string[] | null>> | null {
    const resources = this.#everything
      ? null
      : Object.fromEntries([...this.#resources].map(([name, ids]) => [name, ids && [...ids]]));
    this.#everything = false;
    this.#resources.clear();
    return resources;
  }
}

/** Maximum number and age of stored changes. */
const MOST_KEPT = 2_000;
const KEPT_MILLISECONDS = 120_000;

/**
 * The latest changes. A page learns what changed between its load and the opening of its socket.
 */
export class Recent {
  #news: { readonly at: number; readonly news: ChangeNews }[] = [];
  /** Start of the known period. */
  #knownSince = performance.now();

  add(news: ChangeNews): void {
    const now = performance.now();
    this.#news.push({ at: now, news });
    if (this.#news.length <= MOST_KEPT) return;
    // Trims rarely, as each trim copies the list.
    this.#news = this.#news.slice(-MOST_KEPT / 2).filter(({ at }) => at > now - KEPT_MILLISECONDS);
    this.#knownSince = this.#news[0]?.at ?? now;
  }

  /** Drops everything, as messages may have been lost. */
  forget(): void {
    this.#news = [];
    this.#knownSince = performance.now();
  }

  /** Changes of the last milliseconds. Undefined if they are not all known. */
  since(milliseconds: number): readonly ChangeNews[] | undefined {
    if (!(milliseconds > 0)) return [];
    const from = performance.now() - milliseconds;
    if (milliseconds > KEPT_MILLISECONDS || from < this.#knownSince) return undefined;
    return this.#news.filter(({ at }) => at >= from).map(({ news }) => news);
  }
}

const EVERYTHING = Permission.SUPER | Permission.ADMIN;

/**
 * The part of a change that a caller may learn: nothing, everything, only that the resource
 * changed, or the visible ids.
 */
export type Visibility = 'nothing' | 'all' | 'that it changed' | 'what is visible';

/** Change sets are no resource of the engine; administrators of their organization see all. */
const seesChangeSets = ({ resource, organization }: ChangeNews, actor: Caller['actor']): boolean =>
  resource === CHANGE_SET.name &&
  organization === actor.organization.id &&
  allows(actor.permissions, Permission.ADMIN) &&
  dutyCovers(actor.duty, 'changes', 'read');

/** Decides by role and organization, without a query. */
export function visibilityOf(
  engine: ResourceEngine | undefined,
  news: ChangeNews,
  { actor }: Pick<Caller, 'actor'>,
): Visibility {
  if (!engine) return seesChangeSets(news, actor) ? 'all' : 'nothing';
  const { resource, hooks } = engine;
  if (!mayUse(actor, resource, 'read')) return 'nothing';
  const isHere = news.organization === actor.organization.id;
  if (resource.scope === 'org' && !isHere) return 'nothing';
  const isWhole = hooks.visible === undefined && resource.scope !== 'own';
  if (
    isWhole ||
    (resource.scope === 'global' &&
      allows(actor.permissions, EVERYTHING) &&
      actor.organization.id === '')
  )
    return 'all';
  // Deleted objects cannot be queried. Administrators and auditors of an organization learn of
  // changes there.
  const oversees =
    allows(actor.permissions, Permission.ADMIN) || allows(actor.permissions, Permission.AUDIT);
  return isHere && oversees && resource.scope !== 'own' ? 'that it changed' : 'what is visible';
}

/** Filters ids to those that the caller may know of. */
export async function visibleAmong(
  engine: ResourceEngine,
  ids: readonly string[],
  caller: Caller,
  db: Db,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from ${sql.table(engine.resource.table)} t
      where t.id = any (${ids.filter((id) => isUuid(id))}::uuid[])
      and ${scopeOf(engine, caller)}`.execute(db);
  return rows.map(({ id }) => id);
}
