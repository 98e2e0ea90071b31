import {
  type AccessChange,
  actionNames,
  asset,
  CHANGE_DATA,
  CHANGE_DATA_NAME,
  type CountedNames,
  cluster,
  databaseApp,
  type Resource,
  remoteApp,
  systemUser,
  user,
} from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { scopeOf } from '../../../resources/read/scope.ts';
import { NAMED_UP_TO, namesOf } from '../consequences/store.ts';
import { GrantCache } from '../grants/cache.ts';
import { APP_KINDS, ASSETS, type GrantKind } from '../grants/kind.ts';
import { compare } from './compare.ts';
import { atomsIn, type Bits } from './cover.ts';
import { assetsOfGroups, loadPlaces, type Places } from './places.ts';
import type { Plan } from './plan.ts';
import { type NamedScene, type PlacesOf, sceneOf } from './scene.ts';

/** Computes how a plan would change access. */
export type WhatIf = (plan: Plan, caller: Caller) => Promise<AccessChange[]>;

/** Cached sets of places: a form recomputes on every edit, usually with the same nodes. */
const MAX_CACHED = 4;
/** A million assets on 100,000 nodes are about 500,000 rows and numbers, of 100 bytes each. */
const MAX_CACHED_ITEMS = 600_000;

export function createWhatIf(db: Db, engines: Engines): WhatIf {
  const cache = new GrantCache(db, MAX_CACHED, MAX_CACHED_ITEMS);
  const loading = new Map<string, Promise<Places>>();
  const placesOf: PlacesOf = async (organizationId, nodes) => {
    const version = await cache.version();
    const key = `${organizationId} ${[...nodes].sort()}`;
    // Edits of a form that come while the first preview loads wait for the same rows.
    const load = (): Promise<Places> => {
      const name = `${version} ${key}`;
      const running =
        loading.get(name) ??
        loadPlaces(organizationId, nodes, db).finally(() => loading.delete(name));
      loading.set(name, running);
      return running;
    };
    return cache.remember(version, key, async () => ({
      value: await load(),
      validUntil: Number.POSITIVE_INFINITY,
    }));
  };
  return async (plan, caller) => {
    const known = scopeOf(engineOf(engines, user), caller);
    const countedNames: CountNames = async (resource, count, ids) => {
      if (count > NAMED_UP_TO) return { count, names: [] };
      const engine = engineOf(engines, resource);
      return { count, names: await namesOf(engine, ids, scopeOf(engine, caller), db) };
    };
    const changes: AccessChange[] = [];
    for (const kind of kindsOf(plan)) {
      const scene = await sceneOf(plan, kind, known, { placesOf, db });
      if (scene) changes.push(...(await describe(scene, kind, countedNames)));
    }
    return changes;
  };
}

/** Names the first of some objects that the caller may see, by a query for their ids. */
type CountNames = (resource: Resource, count: number, ids: Sql) => Promise<CountedNames>;

const TARGETS = { asset, remote_app: remoteApp, database_app: databaseApp, cluster } as const;

function kindsOf({ kind, members }: Plan): readonly GrantKind[] {
  if (kind) return [kind];
  return members ? [ASSETS, ...APP_KINDS] : [ASSETS];
}

async function describe(
  scene: NamedScene,
  { target }: GrantKind,
  countedNames: CountNames,
): Promise<AccessChange[]> {
  const differences = await compare(scene);
  const changes: AccessChange[] = [];
  for (const [kind, { users, assets, accounts, accesses, mask }] of differences) {
    const accountIds = [...accounts].flatMap((account) => scene.accounts[account] ?? []);
    changes.push({
      kind,
      target,
      people: await countedNames(user, users.length, sql`select unnest(${users}::uuid[])`),
      assets: await countedNames(TARGETS[target], scene.weigh(assets), assetsOf(assets, scene)),
      accounts: await countedNames(
        systemUser,
        accountIds.length,
        sql`select unnest(${accountIds}::uuid[])`,
      ),
      accesses,
      actions: [...actionNames(mask), ...(mask & CHANGE_DATA ? [CHANGE_DATA_NAME] : [])],
    });
  }
  return changes;
}

/** Query for the asset ids of a set of atoms. */
function assetsOf(bits: Bits, { placed }: NamedScene): Sql {
  const atoms = [...atomsIn(bits)].flatMap((atom) => placed[atom] ?? []);
  const alone = atoms.flatMap(({ id }) => id ?? []);
  return sql`
    select unnest(${alone}::uuid[]) as id
    union all
    ${assetsOfGroups(
      atoms.flatMap(({ groups }) => groups ?? []),
      placed.flatMap(({ id }) => id ?? []),
    )}`;
}
