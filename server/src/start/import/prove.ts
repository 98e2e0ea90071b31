import { actionNames, DEFAULT_ORGANIZATION_NAME } from '@sallyport/contract';
import { ASSETS, accountsQuery, IN_FORCE, rulesNaming } from '../../features/perms/index.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import {
  assetsReached,
  KNOWN_ACTIONS,
  type SourceAccess,
  type SourcePermission,
} from './jumpserver/model.ts';
import type { ReadSource } from './jumpserver/read.ts';

/** Maximum printed differences; their number is complete. */
const MOST_LINES = 1_000;
/** Maximum accesses in memory for users with other permissions. */
const MOST_KEPT = 2_000_000;

/** Masks of actions by `organization / asset: account`. */
type Accesses = ReadonlyMap<string, number>;

/** Remembers the accesses of users with the same permissions; bounded. */
class Known {
  readonly #known = new Map<string, Accesses>();
  #size = 0;

  async get(key: string, load: () => Promise<Accesses> | Accesses): Promise<Accesses> {
    const known = this.#known.get(key);
    if (known) return known;
    const loaded = await load();
    if (this.#size + loaded.size > MOST_KEPT) {
      this.#known.clear();
      this.#size = 0;
    }
    this.#known.set(key, loaded);
    this.#size += loaded.size;
    return loaded;
  }
}

const placeOf = (organization: string, asset: string, account: string) =>
  `${organization} / ${asset}: ${account}`;

/** Names of organizations by their id in the source. */
function organizationNames({ description }: ReadSource): ReadonlyMap<string, string> {
  return new Map([
    ['', DEFAULT_ORGANIZATION_NAME],
    ...description.objects.flatMap(({ kind, id, name }): [string, string][] =>
      kind === 'organization' ? [[id, name]] : [],
    ),
  ]);
}

const isInForce = ({ isActive, start, end }: SourcePermission, now: number) =>
  isActive &&
  (start === undefined || Date.parse(start) <= now) &&
  (end === undefined || Date.parse(end) > now);

/** Computes the accesses of permissions from the rows of the source. */
function sourceAccesses(
  permissions: readonly SourcePermission[],
  access: SourceAccess,
  organizations: ReadonlyMap<string, string>,
): Accesses {
  const known = access.hasClipboard ? KNOWN_ACTIONS : 7;
  const accesses = new Map<string, number>();
  for (const permission of permissions)
    for (const id of assetsReached(permission, access.tree)) {
      const asset = access.assets.get(id);
      if (!asset?.isActive || asset.organization !== permission.organization) continue;
      const organization = organizations.get(asset.organization) ?? asset.organization;
      for (const account of access.accountsOn(permission, id)) {
        const place = placeOf(organization, asset.name, account);
        accesses.set(place, (accesses.get(place) ?? 0) | (permission.actions & known));
      }
    }
  return accesses;
}

interface ProductRow {
  readonly organization: string | null;
  readonly hostname: string;
  readonly name: string;
  readonly username: string;
  readonly username_same_with_user: boolean;
  readonly login_mode: string;
  readonly mask: number;
}

/** Bits of the source for a mask of Sallyport. */
const maskInSource = (mask: number) =>
  (mask & 7) | ((mask & 512) !== 0 ? 8 : 0) | ((mask & 1024) !== 0 ? 16 : 0);

function accountOf(row: ProductRow, names: ReadSource['names']): string {
  if (names === 'system users') return row.name;
  if (row.username_same_with_user) return '@USER';
  return row.username === '' && row.name.startsWith('any account') ? '@INPUT' : row.username;
}

/** Computes what a user may do in Sallyport, as its own checks do. */
async function productAccesses(userId: string, names: ReadSource['names'], db: Db) {
  const places = ASSETS.places((id) => sql`${id} is not null`);
  const targets = sql`
    select distinct place.target_id from (${places}) place
    where place.rule_id in ${rulesNaming(userId)}`;
  const accounts = accountsQuery(ASSETS, { userId, organizationId: undefined }, targets);
  const { rows } = await sql<ProductRow>`
    select a.hostname, o.name as organization, found.name, found.username,
      found.username_same_with_user, found.login_mode, found.mask
    from (${accounts}) found join asset a on a.id = found.target
      left join organization o on o.id::text = a.org_id`.execute(db);
  const accesses = new Map<string, number>();
  for (const row of rows) {
    const organization = row.organization ?? DEFAULT_ORGANIZATION_NAME;
    const place = placeOf(organization, row.hostname, accountOf(row, names));
    accesses.set(place, (accesses.get(place) ?? 0) | maskInSource(row.mask));
  }
  return accesses;
}

const inText = (mask: number | undefined) => {
  const bits = mask ?? 0;
  const own = (bits & 7) | ((bits & 8) !== 0 ? 512 : 0) | ((bits & 16) !== 0 ? 1024 : 0);
  return actionNames(own).join(', ') || 'nothing';
};

function* differencesOf(source: Accesses, product: Accesses): Generator<string> {
  for (const [place, mask] of source)
    if (mask !== (product.get(place) ?? 0))
      yield `${place}: source ${inText(mask)}; Sallyport ${inText(product.get(place))}`;
  for (const [place, mask] of product)
    if (mask !== 0 && !source.has(place))
      yield `${place}: source nothing; Sallyport ${inText(mask)}`;
}

interface ProductUser {
  readonly id: string;
  readonly username: string;
  readonly rules: string;
}

async function productUsers(db: Db): Promise<ReadonlyMap<string, ProductUser>> {
  const { rows } = await sql<ProductUser>`
    select u.id, u.username, coalesce(granted.rules, '') as rules
    from account u left join (
      select named.user_id, string_agg(p.id::text, ' ' order by p.id) as rules
      from (
        select link.user_id, link.asset_permission_id from asset_permission_users link
        union
        select member.user_id, link.asset_permission_id from asset_permission_user_groups link
          join user_group_users member on member.user_group_id = link.user_group_id
      ) named join asset_permission p on p.id = named.asset_permission_id and ${IN_FORCE}
      group by named.user_id) granted on granted.user_id = u.id`.execute(db);
  return new Map(rows.map((row) => [row.username, row]));
}

/** Returns a function that finds the permissions in force of a user of the source. */
function permissionsByUser({ permissions, groups }: SourceAccess) {
  const now = Date.now();
  const byUser = new Map<string, Set<SourcePermission>>();
  const byGroup = new Map<string, Set<SourcePermission>>();
  for (const permission of permissions.filter((one) => isInForce(one, now)))
    for (const [index, ids] of [
      [byUser, permission.users],
      [byGroup, permission.groups],
    ] as const)
      for (const id of ids) index.set(id, (index.get(id) ?? new Set()).add(permission));
  return (userId: string): readonly SourcePermission[] => {
    const through = (groups.get(userId) ?? []).map((group) => byGroup.get(group) ?? []);
    const permitted = new Set([
      ...(byUser.get(userId) ?? []),
      ...through.flatMap((set) => [...set]),
    ]);
    return [...permitted].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  };
}

/**
 * Compares who may do what with which account on which asset: computed from the rows of the source,
 * and by Sallyport. Says each difference, and returns their number.
 */
export async function prove(
  source: ReadSource,
  db: Db,
  say: (line: string) => void,
): Promise<number> {
  const { access, names } = source;
  const organizations = organizationNames(source);
  const permissionsOf = permissionsByUser(access);
  const present = await productUsers(db);
  const [ofSource, ofProduct] = [new Known(), new Known()];
  let accesses = 0;
  let differences = 0;
  const report = (line: string) => {
    differences += 1;
    if (differences <= MOST_LINES) say(line);
  };
  for (const [id, user] of access.users) {
    const granted = user.isValid ? permissionsOf(id) : [];
    const key = granted.map((permission) => permission.id).join(' ');
    const before = await ofSource.get(key, () => sourceAccesses(granted, access, organizations));
    accesses += before.size;
    const own = present.get(user.username);
    if (!own) {
      report(`${user.username}: is no user of Sallyport`);
      continue;
    }
    const after = await ofProduct.get(user.isValid ? own.rules : `invalid ${own.id}`, () =>
      productAccesses(own.id, names, db),
    );
    for (const line of differencesOf(before, after)) report(`${user.username}: ${line}`);
  }
  if (differences > MOST_LINES) say(`and ${differences - MOST_LINES} more differences`);
  say(
    `${access.users.size} users, ${accesses} accesses of users to accounts: ${differences === 0 ? 'equal' : `${differences} differences`}`,
  );
  return differences;
}
