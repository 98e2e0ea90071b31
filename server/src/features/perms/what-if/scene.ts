import type { Db } from '../../../platform/db/database.ts';
import { ASSETS, type GrantKind } from '../grants/kind.ts';
import type { ComparedRule, ComparedUsers, Scene } from './compare.ts';
import { type Bits, bitsOf, coverOf, weigher } from './cover.ts';
import {
  type LoadedRule,
  type LoadedUsers,
  loadApps,
  loadNamed,
  loadRules,
  type PlacedAtom,
} from './load.ts';
import { atomsOf, knownKeys, type Places } from './places.ts';
import type { Known, Plan } from './plan.ts';
import { lineAfter, lineOf, type Move, type Touched, touchedBy } from './touched.ts';

/** A scene with the ids that name its differences. */
export interface NamedScene extends Scene {
  /** Ids of the system users, by index. */
  readonly accounts: readonly string[];
  readonly placed: readonly PlacedAtom[];
}

/** Loads the assets at or below nodes of an organization; may cache. */
export type PlacesOf = (organizationId: string, nodes: readonly string[]) => Promise<Places>;

export interface SceneSource {
  readonly placesOf: PlacesOf;
  readonly db: Db;
}

/** Loads what a plan touches for one kind of target; undefined if no access can change. */
export async function sceneOf(
  plan: Plan,
  kind: GrantKind,
  known: Known,
  { placesOf, db }: SceneSource,
): Promise<NamedScene | undefined> {
  const touched = await touchedBy(plan, kind, db);
  const scope = { plan, kind, touched, db };
  const { users, accounts, nodes, assets, moves } = touched;
  if (users.length === 0 || accounts.length === 0 || nodes.length + assets.length === 0)
    return undefined;
  const [loaded, places] = await Promise.all([
    loadRules(scope, known),
    kind === ASSETS ? placesOf(plan.organizationId, nodes) : undefined,
  ]);
  if (loaded.users.length === 0) return undefined;
  const placed = places
    ? await atomsOf(
        places,
        knownKeys(loaded.rules, loaded.plannedNodes, moves),
        await loadNamed(scope, loaded.rules),
      )
    : await loadApps(scope, loaded.rules);
  const planned = plannedRule(plan, touched, loaded.plannedNodes);
  const compared = coverRules([...loaded.rules, ...(planned ? [planned] : [])], placed, moves);
  const sides = {
    gone: new Set(plan.gone),
    changed: new Set(touched.rules),
    rules: loaded.rules,
    compared,
  };
  return {
    users: loaded.users.map((one) => sidesOf(one, sides)),
    atoms: placed.length,
    weigh: weigher(placed.map(({ weight }) => weight)),
    offered: loaded.protocols.map((protocol) => offering(protocol, placed)),
    accounts,
    placed,
  };
}

/** The planned permission in the form of stored ones. Its index follows theirs. */
function plannedRule(
  { planned }: Plan,
  { accounts }: Touched,
  nodes: readonly string[],
): LoadedRule | undefined {
  if (!planned) return undefined;
  return {
    id: '',
    mask: planned.mask,
    until: Math.floor(planned.until.getTime() / 1_000),
    isActive: true,
    accounts: planned.system_users.map((id) => accounts.indexOf(id)),
    nodes,
  };
}

/** Computes the atoms that each permission reaches, before and after the moves. */
function coverRules(
  rules: readonly LoadedRule[],
  placed: readonly PlacedAtom[],
  moves: readonly Move[],
): ComparedRule[] {
  const naming = new Map<string, number[]>();
  for (const [index, { nodes }] of rules.entries()) {
    for (const key of nodes) {
      const list = naming.get(key);
      if (list) list.push(index);
      else naming.set(key, [index]);
    }
  }
  const before = reach(rules.length, placed, (place) =>
    lineOf(place).flatMap((key) => naming.get(key) ?? []),
  );
  const after =
    moves.length === 0
      ? before
      : reach(rules.length, placed, (place) =>
          lineAfter(place, moves).flatMap((key) => naming.get(key) ?? []),
        );
  return rules.map(({ accounts, mask, until }, index) => {
    const [was = [], is = []] = [before[index], after[index]];
    const cover = coverOf(was, placed.length);
    const isSame =
      was === is || (was.length === is.length && was.every((atom, place) => atom === is[place]));
    return {
      accounts,
      mask,
      until,
      before: cover,
      after: isSame ? cover : coverOf(is, placed.length),
    };
  });
}

/**
 * Atoms of each permission. `above` returns the permissions that reach a place through its nodes.
 * The planned permission is the last of `amount`.
 */
function reach(
  amount: number,
  placed: readonly PlacedAtom[],
  above: (place: string) => readonly number[],
): number[][] {
  const atoms: number[][] = Array.from({ length: amount }, () => []);
  const known = new Map<string, readonly number[]>();
  for (const [atom, { places, rules, planned }] of placed.entries()) {
    const reaching = new Set(planned ? [...rules, amount - 1] : rules);
    for (const place of places) {
      const permissions = known.get(place) ?? above(place);
      known.set(place, permissions);
      for (const rule of permissions) reaching.add(rule);
    }
    for (const rule of reaching) atoms[rule]?.push(atom);
  }
  return atoms;
}

function offering(protocol: string, placed: readonly PlacedAtom[]): Bits {
  const isOffered = ({ offered }: PlacedAtom) => ` ${offered}`.includes(` ${protocol}/`);
  return bitsOf(
    placed.flatMap((one, atom) => (isOffered(one) ? [atom] : [])),
    placed.length,
  );
}

interface Sides {
  readonly gone: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  readonly rules: readonly LoadedRule[];
  readonly compared: readonly ComparedRule[];
}

function sidesOf(
  { ids, rules: naming, others, planned, joins, leaves }: LoadedUsers,
  { gone, changed, rules, compared }: Sides,
): ComparedUsers {
  const pick = (indexes: Iterable<number>) =>
    [...indexes].flatMap((index) => compared[index] ?? []);
  const isActive = (index: number) => rules[index]?.isActive === true;
  const staying = (leaves ? others : naming).filter((index) => !gone.has(rules[index]?.id ?? ''));
  const joined = joins ? rules.flatMap(({ id }, index) => (changed.has(id) ? [index] : [])) : [];
  return {
    ids,
    before: pick(naming.filter(isActive)),
    after: pick(new Set([...staying, ...joined, ...(planned ? [rules.length] : [])])),
  };
}
