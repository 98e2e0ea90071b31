import { isUuid } from '@sallyport/contract';
import type { TargetKind } from '../../gateway/ports/grant.ts';
import type { Person } from '../../gateway/ports/people.ts';
import type { HostKeys, Login, OfferedKey, Opening, Openings } from '../../gateway/ports.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import { executePrepared, type Sql, sql } from '../../platform/db/sql.ts';
import { holderOfLogin, signInFacts } from '../identity/index.ts';
import { accountOf, type GrantedAccount, rulesNaming } from '../perms/index.ts';
import {
  type AssetGrantRow,
  assetGrantOf,
  assetGrantQuery,
  assetGrantsQuery,
} from './asset-grant.ts';
import { type LoginParts, type OwnSecrets, openAccount } from './credentials.ts';
import { type AssetRoutes, GATEWAYS_OF_ASSET, type GatewayRow } from './routes-to-assets.ts';

/** The secret that is stored for an account on an asset. */
interface StoredSecret {
  readonly id: string;
  readonly password: string | null;
  readonly private_key: string | null;
}

/** A system user on an asset. */
interface AccountSecrets {
  readonly own: OwnSecrets;
  readonly stored: StoredSecret | null;
}

/** Everything that an opening reads, in one row. */
interface OpeningRow extends AssetGrantRow, AccountSecrets {
  readonly is_signed_in: boolean;
  /** The account that signs in if sessions switch to the granted one. */
  readonly source: (AccountSecrets & { readonly id: string; readonly login: string }) | null;
  readonly gateways: readonly GatewayRow[] | null;
  readonly pins: readonly { readonly port: number; readonly key: string }[] | null;
}

interface OpeningParts extends LoginParts {
  readonly db: Db;
  readonly route: AssetRoutes;
  readonly hostKeys: HostKeys;
}

/** An asset with the accounts that are granted on it, and the opening of each. */
export interface NamedAsset {
  readonly id: string;
  readonly accounts: readonly GrantedAccount[];
  /** Checks sign-in and permission, as `NamedAssets.read` found them. @throws Refusal */
  readonly open: (systemUserId: string) => Promise<Opening>;
}

/** Finds the asset that a user names. */
export interface NamedAssets {
  /**
   * Returns the only asset with a host name in the organizations of the user's permissions.
   * Undefined for several assets with the name, and without an account.
   */
  read(person: Person, hostname: string): Promise<NamedAsset | undefined>;
}

/** Reads openings of assets in one statement each. Nothing is cached. */
export function createOpenings({ db, route, hostKeys, ...parts }: OpeningParts): {
  readonly openings: Openings;
  readonly named: NamedAssets;
} {
  return { openings: { read }, named: { read: readNamed } };

  async function read(
    person: Person,
    assetId: string,
    systemUserId: string,
    kind: TargetKind = 'asset',
  ): Promise<Opening | undefined> {
    if (kind !== 'asset') return undefined;
    // A malformed id matches no grant.
    if (!isUuid(assetId) || !isUuid(systemUserId)) throw new Refusal('connect_denied');
    const login = { userId: person.userId, assetId, systemUserId };
    const query = openingQuery(person, assetGrantQuery(login, OPENING_COLUMNS));
    const [row] = await executePrepared(query, db);
    return checked(person, row);
  }

  async function readNamed(person: Person, hostname: string): Promise<NamedAsset | undefined> {
    const { userId } = person;
    const grants = assetGrantsQuery(userId, onlyNamed(hostname, userId), { more: OPENING_COLUMNS });
    const rows = await executePrepared(
      sql<OpeningRow>`${openingQuery(person, grants)} order by opening.priority, opening.name`,
      db,
    );
    const [first] = rows;
    // Without a grant, the columns of the grant are null.
    if (!first?.target) return undefined;
    return {
      id: first.target,
      accounts: rows.map(accountOf),
      open: (systemUserId) =>
        checked(
          person,
          rows.find(({ id }) => id === systemUserId),
        ),
    };
  }

  /** Checks sign-in and permission of a row. @throws Refusal */
  async function checked(person: Person, row: OpeningRow | undefined): Promise<Opening> {
    if (row?.is_signed_in !== true) throw new Refusal('session_signed_out');
    // Without a grant, the columns of the grant are null.
    const grant = await assetGrantOf(db, person, row.target ? row : undefined);
    return openingOf(row, grant);
  }

  /** Opens the account `username` of a system user on an asset. */
  function accountOn(
    assetId: string,
    { own, stored }: AccountSecrets,
    { id, username }: { readonly id: string; readonly username: string },
  ): Promise<Login | undefined> {
    return openAccount(parts, {
      systemUserId: id,
      assetId,
      username,
      own,
      best: async () => {
        if (stored) return { ...stored, table: 'asset_user', username };
        const { password, private_key } = own;
        const hasSecret = password !== null || private_key !== null;
        return hasSecret
          ? { table: 'system_account', id, username, password, private_key }
          : undefined;
      },
    });
  }

  async function loginOf(row: OpeningRow): Promise<Login | undefined> {
    const { target, source, su_method: method } = row;
    const username = row.login || row.username;
    const account = await accountOn(target, row, { id: row.id, username });
    if (!source) return account;
    const signIn = await accountOn(target, source, { id: source.id, username: source.login });
    const password = method === 'sudo' ? signIn?.password : account?.password;
    return signIn && { ...signIn, switchTo: { username, from: source.login, method, password } };
  }

  function openingOf(row: OpeningRow, grant: Opening['grant']): Opening {
    let isFirst = true;
    return {
      grant,
      login: () => loginOf(row),
      gateways: async () => route.inOrder(row.gateways ?? []),
      hostKeys: {
        ...hostKeys,
        async verify(offered) {
          // A later key exchange of the session reads the pin again: it may have been replaced.
          if (!isFirst || !isPinned(row, offered)) return hostKeys.verify(offered);
          isFirst = false;
          return 'pinned';
        },
      },
    };
  }
}

const isPinned = (
  { target, ip, pins }: OpeningRow,
  { kind, ownerId, host, port, key }: OfferedKey,
): boolean =>
  kind === 'asset' &&
  ownerId === target &&
  host === ip &&
  (pins ?? []).some((pin) => pin.port === port && key.equals(Buffer.from(pin.key, 'base64')));

/** The sign-in, with each of the grants, its secret, gateways and pins. */
const openingQuery = ({ userId, loginId }: Person, grants: Sql): Sql<OpeningRow> => sql<OpeningRow>`
  select sign_in.is_signed_in, opening.*,
    ${loginId === undefined ? sql`null::json` : signInFacts(userId, loginId)} as sign_in_facts
  from (select ${loginId === undefined ? sql`true` : sql`exists (${holderOfLogin(loginId)})`}
    as is_signed_in) sign_in
    left join (${grants}) opening on true`;

/** Query for the only asset with a host name, as `target_id`. Several such assets are none. */
const onlyNamed = (hostname: string, userId: string): Sql => sql`
  select (array_agg(named.id))[1] as target_id from (
    select a.id from asset a where a.hostname = ${hostname} and a.org_id in (
      select p.org_id from asset_permission p where p.id in ${rulesNaming(userId)})
    limit 2) named having count(*) = 1`;

const ownSecrets = (alias: 's' | 'f') => sql`json_build_object(
  'password', ${sql.ref(`${alias}.password`)}, 'private_key', ${sql.ref(`${alias}.private_key`)},
  'login_mode', ${sql.ref(`${alias}.login_mode`)})`;

const storedSecret = (username: Sql) => sql`(
  select json_build_object('id', u.id, 'password', u.password, 'private_key', u.private_key)
  from asset_user u where u.asset_id = a.id and u.is_latest and u.username = ${username}
    and (u.password is not null or u.private_key is not null))`;

const OPENING_COLUMNS = sql`,
      ${ownSecrets('s')} as own,
      ${storedSecret(sql`named.login`)} as stored,
      (select json_build_object('id', f.id, 'login', f.login, 'own', ${ownSecrets('f')},
          'stored', ${storedSecret(sql`f.login`)})
        from (select *, case when username_same_with_user
            then (select username from account where id = named.user_id) else username end as login
          from system_account) f where f.id = s.su_from_id) as source,
      ${GATEWAYS_OF_ASSET} as gateways,
      (select json_agg(json_build_object('port', k.port,
          'key', translate(encode(k.public_key, 'base64'), e'\n', '')))
        from host_key k where k.asset_id = a.id and k.host = a.ip) as pins`;
