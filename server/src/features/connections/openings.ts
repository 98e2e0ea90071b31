import { isUuid } from '@sallyport/contract';
import type { Person } from '../../gateway/ports/people.ts';
import type { HostKeys, OfferedKey, Opening, Openings } from '../../gateway/ports.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import { executePrepared, type Sql, sql } from '../../platform/db/sql.ts';
import { holderOfLogin, signInFacts } from '../identity/index.ts';
import {
  type AssetGrantRow,
  type AssetLogin,
  assetGrantOf,
  assetGrantQuery,
} from './asset-grant.ts';
import { type LoginParts, type OwnSecrets, openAccount } from './credentials.ts';
import { type AssetRoutes, GATEWAYS_OF_ASSET, type GatewayRow } from './routes-to-assets.ts';

/** Everything that an opening reads, in one row. */
interface OpeningRow extends AssetGrantRow {
  readonly is_signed_in: boolean;
  readonly own: OwnSecrets;
  /** The secret that is stored for the account on this asset. */
  readonly stored: {
    readonly id: string;
    readonly password: string | null;
    readonly private_key: string | null;
  } | null;
  readonly gateways: readonly GatewayRow[] | null;
  readonly pins: readonly { readonly port: number; readonly key: string }[] | null;
}

interface OpeningParts extends LoginParts {
  readonly db: Db;
  readonly route: AssetRoutes;
  readonly hostKeys: HostKeys;
}

/** Reads openings of assets in one statement each. Nothing is cached. */
export function createOpenings({ db, route, hostKeys, ...parts }: OpeningParts): Openings {
  return {
    async read(person, assetId, systemUserId, kind = 'asset') {
      if (kind !== 'asset') return undefined;
      // A malformed id matches no grant.
      if (!isUuid(assetId) || !isUuid(systemUserId)) throw new Refusal('connect_denied');
      const [row] = await executePrepared(
        openingQuery(person, { userId: person.userId, assetId, systemUserId }),
        db,
      );
      if (row?.is_signed_in !== true) throw new Refusal('session_signed_out');
      // Without a grant, the columns of the grant are null.
      const grant = await assetGrantOf(db, person, row.target ? row : undefined);
      return openingOf(row, grant);
    },
  };

  function openingOf(row: OpeningRow, grant: Opening['grant']): Opening {
    const username = row.login || row.username;
    return {
      grant,
      login: () =>
        openAccount(parts, {
          systemUserId: row.id,
          assetId: row.target,
          username,
          own: row.own,
          best: async () => {
            if (row.stored) return { ...row.stored, table: 'asset_user', username };
            const { password, private_key } = row.own;
            const hasSecret = password !== null || private_key !== null;
            return hasSecret
              ? { table: 'system_account', id: row.id, username, password, private_key }
              : undefined;
          },
        }),
      gateways: async () => route.inOrder(row.gateways ?? []),
      hostKeys: {
        ...hostKeys,
        verify: async (offered) => (isPinned(row, offered) ? 'pinned' : hostKeys.verify(offered)),
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

/** The sign-in, with the grant, its secret, gateways and pins. */
const openingQuery = (
  { userId, loginId }: Person,
  login: AssetLogin,
): Sql<OpeningRow> => sql<OpeningRow>`
  select sign_in.is_signed_in, opening.*,
    ${loginId === undefined ? sql`null::json` : signInFacts(userId, loginId)} as sign_in_facts
  from (select ${loginId === undefined ? sql`true` : sql`exists (${holderOfLogin(loginId)})`}
    as is_signed_in) sign_in
    left join (${assetGrantQuery(login, OPENING_COLUMNS)}) opening on true`;

const OPENING_COLUMNS = sql`,
      json_build_object('password', s.password, 'private_key', s.private_key,
        'login_mode', s.login_mode) as own,
      (select json_build_object('id', u.id, 'password', u.password, 'private_key', u.private_key)
        from asset_user u where u.asset_id = a.id and u.is_latest
          and u.username = named.login
          and (u.password is not null or u.private_key is not null)) as stored,
      ${GATEWAYS_OF_ASSET} as gateways,
      (select json_agg(json_build_object('port', k.port,
          'key', translate(encode(k.public_key, 'base64'), e'\n', '')))
        from host_key k where k.asset_id = a.id and k.host = a.ip) as pins`;
