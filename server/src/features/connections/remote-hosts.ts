import type { Charset } from '@sallyport/contract';
import {
  type AssetProtocol,
  type LocalText,
  NO_ADMIN_USER,
  NO_SYSTEM_USER_SECRET,
  parseAssetProtocol,
} from '@sallyport/contract';
import type { Login, Routes } from '../../gateway/ports.ts';
import type { TriedProtocol } from '../../gateway/remote/handshake.ts';
import type { RemotePlatform } from '../../gateway/remote/module.ts';
import type { RemoteHost } from '../../gateway/remote/run-on-hosts.ts';
import { RemoteRefusal } from '../../gateway/remote/words.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AssetAccounts, SealedLogin } from '../assets/index.ts';
import type { CertificateIssuer } from '../ssh-authorities/index.ts';
import { openBest, openLogin } from './credentials.ts';
import type { RemoteIdentity } from './remote-work.ts';

export interface HostOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly accounts: AssetAccounts;
  readonly route: Routes;
  readonly certificates: CertificateIssuer;
}

interface AssetRow {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly protocols: string[];
  readonly is_active: boolean;
  readonly base: RemotePlatform;
  readonly charset: Charset;
  readonly old_ssh: boolean;
  /** The admin user or system user that signs in; its secrets are sealed. */
  readonly account_id: string | null;
  readonly username: string | null;
  readonly password: string | null;
  readonly private_key: string | null;
  /** Protocol of the system user; null for other identities. */
  readonly protocol: string | null;
  /** The system user signs in with certificates. */
  readonly is_certified: boolean;
  /** Sessions sign in as another account and switch. */
  readonly is_switched: boolean;
  /** The asset has an own secret for this username. */
  readonly has_stored: boolean;
}

/** An asset of a run, with either its connection data or the reason for skipping it. */
export type HostOrReason = { readonly row: AssetRow } & (
  | { readonly host: RemoteHost; readonly reason?: undefined }
  | { readonly host?: undefined; readonly reason: LocalText }
);

/** A port for a connection test. */
type Tried = AssetProtocol & { readonly name: TriedProtocol };

const SKIPPED = {
  inactive: { en: 'the asset is disabled.', zh: '资产已禁用。' },
  protocol: { en: 'the asset does not support SSH.', zh: '该资产不支持 SSH。' },
  offered: {
    en: 'the asset does not support the protocol of the system user.',
    zh: '该资产不支持系统用户的协议。',
  },
  platform: { en: 'the platform is not supported yet.', zh: '暂不支持该系统平台。' },
  admin_user: NO_ADMIN_USER,
  switched: {
    en: 'sessions switch to this account; test the system user that signs in.',
    zh: '该账号须在登录后切换，请测试用于登录的系统用户。',
  },
  account: { en: 'no account is specified.', zh: '未指定账号。' },
  system_user: NO_SYSTEM_USER_SECRET,
} as const satisfies Record<string, LocalText>;

/** A run works with commands or files, or tests the sign-in or the port. */
type Purpose = 'commands' | 'files' | 'test';

/**
 * Yields the assets of a run in order, with the account to sign in with. For a test, assets that
 * cannot run commands get a port test.
 */
export async function* hostsFor(
  as: RemoteIdentity,
  {
    assets,
    signal,
    purpose,
  }: {
    readonly assets: AsyncIterable<readonly string[]>;
    readonly signal: AbortSignal;
    readonly purpose: Purpose;
  },
  options: HostOptions,
): AsyncGenerator<HostOrReason> {
  for await (const ids of assets) {
    for (const row of await rowsOf(as, ids, options.db)) {
      if (signal.aborted) return;
      yield hostOf(as, row, purpose, options);
    }
  }
}

/** Returns why assets cannot be worked on as their admin user, by id. */
export async function obstaclesOf(
  ids: readonly string[],
  options: HostOptions,
): Promise<ReadonlyMap<string, LocalText>> {
  const as: RemoteIdentity = { kind: 'admin_user' };
  const rows = await rowsOf(as, ids, options.db);
  return new Map(
    rows.flatMap((row): [string, LocalText][] => {
      const { reason } = hostOf(as, row, 'commands', options);
      return reason ? [[row.id, reason]] : [];
    }),
  );
}

async function rowsOf(
  as: RemoteIdentity,
  ids: readonly string[],
  db: Db,
): Promise<readonly AssetRow[]> {
  const { rows } = await sql<AssetRow>`
    select a.id, a.hostname, a.ip, a.protocols, a.is_active, p.base, p.charset, p.old_ssh,
      u.id as account_id, u.username, u.password, u.private_key,
      ${as.kind === 'system_user' ? sql`u.protocol` : sql`null`} as protocol,
      ${as.kind === 'system_user' ? sql`coalesce(u.login_mode = 'certificate', false)` : sql`false`}
        as is_certified,
      ${as.kind === 'system_user' ? sql`coalesce(u.is_switched, false)` : sql`false`} as is_switched,
      exists (select 1 from asset_user stored
        where stored.asset_id = a.id and stored.username = u.username
        and stored.is_latest) as has_stored
    from asset a join platform p on p.name = a.platform ${accountOf(as)}
      where a.id = any(${ids}::uuid[]) order by a.id`.execute(db);
  return rows;
}

/** SQL that joins the account of the identity as `u`. */
function accountOf(as: RemoteIdentity) {
  if (as.kind === 'admin_user') return sql`left join admin_user u on u.id = a.admin_user_id`;
  if (as.kind === 'account' || as.kind === 'offered')
    return sql`cross join (select null::uuid as id, ${as.username}::text as username, null as password, null as private_key) u`;
  return sql`left join (
    select id, org_id, protocol, login_mode, su_from_id is not null as is_switched,
      case when username_same_with_user then ${as.username ?? ''} else username end as username,
      case login_mode when 'auto' then password end as password,
      case login_mode when 'auto' then private_key end as private_key
    from system_account) u on u.id = ${as.id} and u.org_id = a.org_id`;
}

function hostOf(
  as: RemoteIdentity,
  row: AssetRow,
  purpose: Purpose,
  options: HostOptions,
): HostOrReason {
  if (!row.is_active) return { row, reason: SKIPPED.inactive };
  if (row.is_switched) return { row, reason: SKIPPED.switched };
  const offered = row.protocols.map(parseAssetProtocol).filter((each) => each !== undefined);
  const tried = purpose === 'test' ? triedOf(as, row, offered) : undefined;
  if (tried) return triedHost(as, row, tried, options);
  if (row.protocol !== null && row.protocol !== 'ssh') return { row, reason: SKIPPED.offered };
  const port = offered.find(({ name }) => name === 'ssh')?.port;
  if (port === undefined) return { row, reason: SKIPPED.protocol };
  if (row.base === 'Other' && purpose !== 'files') return { row, reason: SKIPPED.platform };
  const { username } = row;
  if (!hasSecret(as, row) || !username)
    return { row, reason: SKIPPED[as.kind === 'offered' ? 'account' : as.kind] };
  const host: RemoteHost = {
    ...aboutHost(row),
    async open() {
      const login = { username, ...(await secretsOf(as, row, username, options)) };
      return {
        target: {
          id: row.id,
          name: row.hostname,
          host: row.ip,
          port,
          login,
          allowsOldSsh: row.old_ssh,
        },
        gateways: await options.route.gateways(row.id),
        become:
          as.kind === 'system_user' || username === 'root' || row.base === 'Windows'
            ? { method: 'none' }
            : { method: 'sudo', password: login.password },
      };
    },
  };
  return { row, host };
}

const aboutHost = ({ id, hostname, base, charset }: AssetRow) => ({
  id,
  name: hostname,
  platform: base,
  charset,
});
const hasSecret = (as: RemoteIdentity, row: AssetRow) =>
  as.kind === 'account' ||
  as.kind === 'offered' ||
  (row.account_id !== null &&
    (row.is_certified || row.password !== null || row.private_key !== null || row.has_stored));

/**
 * The port to test when the asset cannot run commands: the system user's protocol, or the first one
 * besides SSH.
 */
function triedOf(
  as: RemoteIdentity,
  row: AssetRow,
  offered: readonly AssetProtocol[],
): Tried | undefined {
  const ports = offered.filter(
    (each): each is Tried => each.name === 'telnet' || each.name === 'rdp' || each.name === 'vnc',
  );
  if (as.kind === 'system_user')
    return row.protocol === 'ssh' ? undefined : ports.find(({ name }) => name === row.protocol);
  // A stored secret is tested by signing in, never by opening a port.
  if (as.kind !== 'admin_user') return undefined;
  const canWork = offered.some(({ name }) => name === 'ssh') && row.base !== 'Other';
  return canWork ? undefined : ports[0];
}

function triedHost(
  as: RemoteIdentity,
  row: AssetRow,
  { name: protocol, port }: Tried,
  options: HostOptions,
): HostOrReason {
  // Only telnet signs in during the test. RDP and VNC are probed without an account.
  const username = protocol === 'telnet' && hasSecret(as, row) ? row.username : null;
  const host: RemoteHost = {
    ...aboutHost(row),
    tried: protocol,
    async open() {
      const login = username
        ? { username, ...(await secretsOf(as, row, username, options)) }
        : { username: '' };
      return {
        target: { id: row.id, name: row.hostname, host: row.ip, port, login },
        gateways: await options.route.gateways(row.id),
        become: { method: 'none' },
      };
    },
  };
  return { row: { ...row, username }, host };
}

/** Opens the secrets of the identity for an asset. @throws RemoteRefusal if none is stored */
async function secretsOf(
  as: RemoteIdentity,
  row: AssetRow,
  username: string,
  { db, vault, accounts, certificates }: HostOptions,
): Promise<Omit<Login, 'username'>> {
  if (as.kind === 'offered') return as.secret(row.id);
  if (as.kind === 'account') {
    const stored =
      as.assetUserId === undefined
        ? await accounts.best(row.id, username)
        : await versionOf(as.assetUserId, row.id, username, db);
    if (!stored) throw new RemoteRefusal('remote_secret', { name: username });
    return openLogin(vault, stored.table, stored.id, stored);
  }
  if (row.is_certified) {
    const need = { systemUserId: String(row.account_id), username, assetId: row.id };
    return { certify: (session) => certificates.issue({ ...need, session }) };
  }
  const own = {
    table: as.kind === 'admin_user' ? 'admin_user' : 'system_account',
    id: String(row.account_id),
    ...secrets(row),
  } as const;
  const best = await accounts.best(row.id, username, { kind: as.kind, id: own.id });
  return openBest(vault, own, best ?? { ...own, username });
}

const secrets = ({ password, private_key }: AssetRow) => ({ password, private_key });

async function versionOf(
  id: string,
  assetId: string,
  username: string,
  db: Db,
): Promise<SealedLogin | undefined> {
  const { rows } = await sql<SealedLogin>`
    select 'asset_user' as "table", id, username, password, private_key from asset_user
    where id = ${id} and asset_id = ${assetId} and username = ${username}`.execute(db);
  return rows[0];
}
