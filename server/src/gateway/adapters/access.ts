import { isUuid, Permission, parseAssetProtocol, protocolOf } from '@sallyport/contract';
import { sql } from 'kysely';
import type { CurrentSignIns } from '../../features/identity/sign-in-sessions/current.ts';
import type { GrantService } from '../../features/perms/grants/service.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Access, Credentials, Routes } from '../ports.ts';
import { Refusal } from '../refusal.ts';

const CONNECT = 1;

interface Target {
  hostname: string;
  ip: string;
  protocols: string[];
  is_active: boolean;
  org_id: string;
  charset: 'utf8' | 'gbk';
  old_ssh: boolean;
  enforced: boolean;
  allowed_commands: string;
}

/** Asks the grants whether a user may connect, at this moment. */
export function createAccess(db: Db, grants: GrantService, signIns: CurrentSignIns): Access {
  return {
    isSignedIn: (loginId) => signIns.isValid(loginId),
    mayWatch: async ({ loginId, organizationId }) => ((await signIns.permissions(loginId, organizationId)) & Permission.AUDIT) !== 0,
    async check(userId, assetId, systemUserId) {
      // What is no id names nothing that is granted.
      if (!isUuid(assetId) || !isUuid(systemUserId)) throw new Refusal('connect_denied');
      const account = await grants.check(userId, assetId, systemUserId);
      const { rows } = await sql<Target>`
        select a.hostname, a.ip, a.protocols, a.is_active, a.org_id, p.charset, p.old_ssh, s.enforced, s.allowed_commands
        from asset a join platform p on p.name = a.platform join system_account s on s.id = ${systemUserId} where a.id = ${assetId}`.execute(db);
      const [target] = rows;
      // Only people who are granted the asset may learn that it exists.
      if (!account || !target || (account.mask & CONNECT) === 0) throw new Refusal('connect_denied');
      const protocol = protocolOf(account.protocol);
      const port = target.protocols.map(parseAssetProtocol).find((offered) => offered?.name === account.protocol)?.port;
      if (!protocol || port === undefined) throw new Refusal('connect_protocol', { protocol: account.protocol });
      return {
        asset: { id: assetId, hostname: target.hostname, ip: target.ip, port, orgId: target.org_id, charset: target.charset, allowsOldSsh: target.old_ssh },
        systemUser: {
          id: account.id,
          name: account.name,
          username: await usernameFor(db, account.username_same_with_user, account.username, userId),
          loginMode: account.login_mode,
          protocol: protocol.name,
          sftpRoot: account.sftp_root,
          ...(target.enforced && { allowedCommands: target.allowed_commands }),
        },
        ruleIds: account.rules,
        ...(await factorTerms(db, account.rules)),
        actions: account.mask,
        validUntil: account.validUntil,
      };
    },
  };
}

/** Of several permissions the strictest counts: one that asks for nothing must not undo another. */
async function factorTerms(db: Db, rules: readonly string[]): Promise<{ readonly factorMinutes?: number }> {
  const { rows } = await sql<{ minutes: number | null }>`
    select min(nullif(mfa_minutes, 0)) as minutes from asset_permission where id = any(${rules}::uuid[])`.execute(db);
  const minutes = rows[0]?.minutes;
  return minutes ? { factorMinutes: minutes } : {};
}

async function usernameFor(db: Db, sameWithUser: boolean, username: string, userId: string): Promise<string> {
  if (!sameWithUser) return username;
  const { rows } = await sql<{ username: string }>`select username from account where id = ${userId}`.execute(db);
  return rows[0]?.username ?? username;
}

/** Opens what is sealed, at the moment of connecting. */
export function createCredentials(db: Db, vault: Vault): Credentials {
  return {
    async open(systemUserId) {
      const { rows } = await sql<{ username: string; password: string | null; private_key: string | null; login_mode: string }>`
        select username, password, private_key, login_mode from system_account where id = ${systemUserId}`.execute(db);
      const [row] = rows;
      if (!row || row.login_mode === 'manual' || (!row.password && !row.private_key)) return undefined;
      return { username: row.username, ...openLogin(vault, 'system_account', systemUserId, row) };
    },
  };
}

/** The secrets of an account, opened. */
export function openLogin(vault: Vault, table: string, id: string, row: { password: string | null; private_key: string | null }) {
  const password = row.password ? vault.open(row.password, `${table}.password.${id}`) : undefined;
  if (!row.private_key) return password === undefined ? {} : { password };
  const privateKey = vault.open(row.private_key, `${table}.private_key.${id}`);
  // With a key, the password is the key's passphrase, and may be the account's password as well.
  return { privateKey, ...(password !== undefined && { passphrase: password, password }) };
}

/** The gateways on the route to an asset: a random one of its domain, so that one that is down is not always the first. */
export function createRoute(db: Db, vault: Vault): Routes {
  return {
    async gateways(assetId) {
      const { rows } = await sql<{ id: string; name: string; ip: string; port: number; username: string; password: string | null; private_key: string | null }>`
        select g.id, g.name, g.ip, g.port, g.username, g.password, g.private_key from asset a join gateway g on g.domain_id = a.domain_id
        where a.id = ${assetId} and g.is_active and g.protocol = 'ssh' order by random() limit 1`.execute(db);
      const inDomain = await sql<{ domain: string }>`select d.name as domain from asset a join domain d on d.id = a.domain_id where a.id = ${assetId}`.execute(
        db,
      );
      // A domain without a working gateway refuses the connection; it is no reason to connect directly.
      if (rows.length === 0 && inDomain.rows[0]) {
        const hasAny = await sql`select 1 from asset a join gateway g on g.domain_id = a.domain_id where a.id = ${assetId}`.execute(db);
        if (hasAny.rows.length > 0) throw new Refusal('connect_unreachable', { host: inDomain.rows[0].domain });
      }
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        host: row.ip,
        port: row.port,
        login: { username: row.username, ...openLogin(vault, 'gateway', row.id, row) },
      }));
    },
  };
}
