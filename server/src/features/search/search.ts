import { allows, asset, isUuid, Permission, type SearchHit } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { AppError } from '../../platform/errors.ts';
import type { Gate } from '../../platform/gate.ts';
import { compareNames } from '../../platform/natural-order.ts';
import type { Engines } from '../../resources/engines.ts';
import type { MountedResource, StoredRow } from '../../resources/hooks.ts';
import { allOf } from '../../resources/read/scope.ts';
import { wordsOf } from '../../resources/read/search.ts';
import {
  findGrantedAssets,
  type GrantedApps,
  type GrantService,
  isAppGranted,
} from '../perms/index.ts';
import { type Found, fieldsOf, foundOf, type Kind, kindsFor, weightOf } from './kinds.ts';
import {
  assetConditions,
  BEGINNING,
  CONTAINING,
  candidates,
  hasLong,
  isOneOf,
  type KindSearch,
  type Use,
  usedOnly,
  usesOf,
} from './store.ts';

/** Rows of a kind that are ranked. */
const RANKED = 80;

export interface Search {
  readonly text: string;
  /** Permission bits of the caller's current view, never more than the caller's own. */
  readonly bits: number;
  /** The only kind to search, or undefined for all. */
  readonly kind: string | undefined;
  readonly limit: number;
  readonly limitOfKind: number;
}

export interface Searcher {
  /**
   * Returns the results for a caller, best first. For an empty text, returns recently used objects.
   */
  find(search: Search, caller: Caller): Promise<SearchHit[]>;
}

interface SearcherOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly grants: GrantService;
  /** Kinds of applications with permissions. */
  readonly apps: readonly GrantedApps[];
  readonly places: Gate;
}

/**
 * Searches all kinds of objects at once, each within the scope of its lists. `places` limits
 * concurrent queries.
 */
export class ObjectSearcher implements Searcher {
  private readonly options: SearcherOptions;

  constructor(options: SearcherOptions) {
    this.options = options;
  }

  async find(
    { text, bits, kind: only, limit, limitOfKind }: Search,
    caller: Caller,
  ): Promise<SearchHit[]> {
    const words = wordsOf(text);
    const { duty } = caller.actor;
    const kinds = kindsFor({ permissions: bits, duty }, this.options.engines.values()).filter(
      ({ engine }) => only === undefined || engine.resource.name === only,
    );
    const uses = await usesOf(caller.actor.userId, this.options.db);
    const weights = weightsOf(uses, new Date());
    const usedOf = (name: string) => [
      ...new Set(uses.filter((use) => use.kind === name && isUuid(use.id)).map(({ id }) => id)),
    ];
    const lists = new Map<Kind, readonly Ranked[]>();
    const search = async (kind: Kind): Promise<void> => {
      const used = usedOf(kind.engine.resource.name);
      if (words.length === 0 && used.length === 0) return;
      const rows = await this.findKind(kind, { words, used }, caller);
      const ranked = rows.map((row) => ({
        ...foundOf(kind, row, words),
        asset: assetOf(kind, row),
        isEvent: isEvent(kind),
      }));
      lists.set(kind, sorted(ranked, weights).slice(0, limitOfKind));
    };
    // Events have the largest tables and take longest, so they start first.
    const begun = [...kinds.filter(isEvent), ...kinds.filter((kind) => !isEvent(kind))];
    await Promise.all(begun.map((kind) => this.inTurn(() => search(kind))));
    const candidateHits = kinds.flatMap((kind) => lists.get(kind) ?? []);
    const best = sorted(candidateHits, weights).slice(0, limit);
    const reachable = await this.connectable(
      [...new Set(best.flatMap(({ asset: id }) => id ?? []))],
      caller,
    );
    return best.map(({ hit, asset: id }) => ({
      ...hit,
      connects: id !== undefined && reachable.has(id) ? id : null,
    }));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.options.places.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** The granted assets that match. Without words, those that the user has used. */
  private async granted(
    { words, used }: Omit<KindSearch, 'ownerId'>,
    caller: Caller,
  ): Promise<StoredRow[]> {
    const view = await this.options.grants.view({
      userId: caller.actor.userId,
      organizationId: undefined,
    });
    const some = (condition: Sql, limit: number) =>
      findGrantedAssets(this.options.db, view, condition, limit);
    if (words.length === 0)
      return used.length === 0 ? [] : rowsOf(await some(isOneOf(used), used.length));
    const { beginning, containing } = assetConditions(words);
    const batches = await Promise.all([
      some(beginning, BEGINNING),
      some(containing, CONTAINING),
      used.length > 0 ? some(allOf([isOneOf(used), containing]), used.length) : [],
    ]);
    return rowsOf([...new Map(batches.flat().map((row) => [row.id, row])).values()]);
  }

  /** The granted applications of a kind that match. Without words, those that the user has used. */
  private async grantedApp(
    { kind, resource, reader }: GrantedApps,
    { words, used }: Omit<KindSearch, 'ownerId'>,
    caller: Caller,
  ): Promise<StoredRow[]> {
    const anywhere = { resource, hooks: {} };
    const owned = { words, used, ownerId: undefined };
    const within =
      words.length === 0 ? usedOnly(anywhere, owned) : candidates(anywhere, owned, caller);
    const isGranted = isAppGranted(kind, {
      userId: caller.actor.userId,
      organizationId: undefined,
    });
    return within
      ? reader.find(allOf([isGranted, within]), fieldsOf(resource), RANKED, caller)
      : [];
  }

  private async findKind(
    kind: Kind,
    wanted: Omit<KindSearch, 'ownerId'>,
    caller: Caller,
  ): Promise<StoredRow[]> {
    const { engine, reach } = kind;
    const app =
      reach === 'granted'
        ? this.options.apps.find(({ resource }) => resource.name === engine.resource.name)
        : undefined;
    if (app) return this.grantedApp(app, wanted, caller);
    if (reach === 'granted') return this.granted(wanted, caller);
    const owned = { ...wanted, ownerId: reach === 'own' ? caller.actor.userId : undefined };
    const within =
      wanted.words.length === 0
        ? usedOnly(engine, owned)
        : candidates(
            engine,
            owned,
            caller,
            await this.foundElsewhere(engine, wanted.words, caller),
          );
    return within ? engine.reader.findStale(within, fieldsOf(engine.resource), RANKED, caller) : [];
  }

  /**
   * Rows that a storage outside of the database finds. If it is unreachable, the search continues
   * without it. The list of that kind reports the problem.
   */
  private async foundElsewhere(
    { resource, hooks }: MountedResource,
    words: readonly string[],
    caller: Caller,
  ): Promise<readonly string[]> {
    if (!hooks.elsewhere || !hasLong(words, resource.searchable?.shortest ?? 1)) return [];
    return hooks.elsewhere
      .find(new URLSearchParams({ search: words.join(' ') }), caller)
      .catch((error: unknown) => {
        if (error instanceof AppError) return [];
        throw error;
      });
  }

  /** Filters assets to those that the caller may connect to. */
  private async connectable(ids: readonly string[], caller: Caller): Promise<ReadonlySet<string>> {
    if (ids.length === 0 || !allows(caller.actor.permissions, Permission.USE)) return new Set();
    return new Set(
      (await this.granted({ words: [], used: ids }, caller)).map(({ id }) => String(id)),
    );
  }
}

/** Returns true if the objects of a kind are events, which have a date. */
const isEvent = ({ engine }: Kind): boolean => engine.resource.dateField !== undefined;

interface Ranked extends Found {
  readonly isEvent: boolean;
  /** The asset, or the asset of an event. */
  readonly asset: string | undefined;
}

const rowsOf = (rows: readonly object[]): StoredRow[] => rows.map((row) => ({ ...row }));

function assetOf({ engine: { resource } }: Kind, row: StoredRow): string | undefined {
  if (resource.name === asset.name) return String(row.id);
  return typeof row.asset_id === 'string' && isUuid(row.asset_id) ? row.asset_id : undefined;
}

function weightsOf(uses: readonly Use[], now: Date): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const use of uses) {
    const key = `${use.kind} ${use.id}`;
    weights.set(key, (weights.get(key) ?? 0) + weightOf(use, now));
  }
  return weights;
}

const byName = (one: Ranked, other: Ranked) =>
  one.isEvent || other.isEvent ? 0 : compareNames(one.hit.title, other.hit.title);

/** Sorts by rank, then by the user's weight, then by name. Events keep the order of their list. */
function sorted(hits: readonly Ranked[], weights: ReadonlyMap<string, number>): Ranked[] {
  const weight = ({ hit }: Ranked) => weights.get(`${hit.kind} ${hit.id}`) ?? 0;
  return hits.toSorted(
    (one, other) =>
      one.fit - other.fit ||
      weight(other) - weight(one) ||
      (one.hit.kind === other.hit.kind ? byName(one, other) : 0),
  );
}
