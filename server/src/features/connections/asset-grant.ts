import {
  type Charset,
  parseAssetProtocol,
  protocolOf,
  type SwitchMethod,
} from '@sallyport/contract';
import type { Grant, RdpSecurity, TelnetOptions } from '../../gateway/ports/grant.ts';
import type { Arriving } from '../../gateway/ports/people.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { SignInFacts } from '../identity/index.ts';
import { type AccountRow, ASSETS, accountOf, accountsQuery } from '../perms/index.ts';
import {
  APPROVALS_BY_RULE,
  approvalOf,
  INSTANT_UNTIL,
  judged,
  MINUTES_BY_RULE,
  type MinutesByRule,
  secondPersonOf,
  strictestOf,
  WATCHED_RULES,
} from './permission-terms.ts';

/** A system user that is granted on an asset, with everything that makes it a grant. */
export interface AssetGrantRow extends AccountRow {
  /** The name at the target. */
  readonly login: string;
  readonly hostname: string;
  readonly ip: string;
  readonly protocols: readonly string[];
  readonly org_id: string;
  readonly charset: Charset;
  readonly old_ssh: boolean;
  readonly rdp_security: RdpSecurity | null;
  readonly rdp_console: boolean | null;
  readonly enforced: boolean;
  readonly allowed_commands: string;
  readonly no_password: boolean;
  /** The system user that sessions sign in with before they switch; null without one. */
  readonly su_from_id: string | null;
  readonly su_method: SwitchMethod;
  /** Null for other protocols. */
  readonly telnet: TelnetOptions | null;
  /** Intervals of the permissions that demand a second factor. */
  readonly minutes: MinutesByRule;
  /** Minutes of the approvals that permissions ask for. */
  readonly approvals: MinutesByRule;
  /** The permissions that ask for a second person. */
  readonly watched: readonly string[] | null;
  readonly instant_until: Date | null;
  /** The facts of the sign-in; absent if they were not read with the grant. */
  readonly sign_in_facts?: SignInFacts | null;
}

/** An asset, a system user and the user who connects. */
export interface AssetLogin {
  readonly userId: string;
  readonly assetId: string;
  readonly systemUserId: string;
}

/**
 * Query for the grant of a system user on an asset: no row without one. Aliases: `granted`, `named`
 * with the name at the target, `a` the asset, `s` the system user.
 */
export const assetGrantQuery = <Row extends AssetGrantRow>(
  { userId, assetId, systemUserId }: AssetLogin,
  more?: Sql,
): Sql<Row> =>
  assetGrantsQuery(userId, sql`select ${assetId}::uuid as target_id`, { systemUserId, more });

/**
 * Query for the grants on the assets of a query for `target_id`, of all system users unless one is
 * named. Aliases as in `assetGrantQuery`.
 */
export const assetGrantsQuery = <Row extends AssetGrantRow>(
  userId: string,
  target: Sql,
  {
    systemUserId,
    more = sql``,
  }: { readonly systemUserId?: string; readonly more?: Sql | undefined },
): Sql<Row> => sql<Row>`
    with granted as materialized (${accountsQuery(
      ASSETS,
      { userId, organizationId: undefined },
      target,
      systemUserId,
    )})
    select granted.*, named.login,
      a.hostname, a.ip, a.protocols, a.org_id,
      coalesce(nullif(s.charset, ''), p.charset) as charset, p.old_ssh,
      p.meta ->> 'security' as rdp_security, (p.meta ->> 'console')::boolean as rdp_console,
      s.enforced, s.allowed_commands, s.no_password, s.su_from_id, s.su_method,
      case when s.protocol = 'telnet' then jsonb_build_object('username', s.username_prompt,
        'password', s.password_prompt, 'success', s.success_pattern, 'failure', s.failure_pattern,
        'line', s.serial_line) end as telnet,
      ${MINUTES_BY_RULE} as minutes,
      ${APPROVALS_BY_RULE} as approvals, ${WATCHED_RULES} as watched,
      ${INSTANT_UNTIL} as instant_until ${more}
    from granted cross join lateral (select case when granted.username_same_with_user
        then (select username from account where id = ${userId}) else granted.username end
        as login, ${userId}::uuid as user_id) named
      join asset a on a.id = granted.target join platform p on p.name = a.platform
      join system_account s on s.id = granted.id`;

/** Returns the grant of a row under the circumstances of a person. @throws Refusal */
export async function assetGrantOf(
  db: Db,
  person: Arriving,
  row: AssetGrantRow | undefined,
): Promise<Grant> {
  // Only users with a grant may learn that the asset exists.
  const { account, changesAt } = await judged(
    db,
    person,
    row && accountOf(row),
    row?.sign_in_facts,
  );
  if (!row) throw new Refusal('connect_denied');
  const protocol = protocolOf(account.protocol);
  const port = row.protocols
    .map(parseAssetProtocol)
    .find((offered) => offered?.name === account.protocol)?.port;
  if (!protocol || port === undefined)
    throw new Refusal('connect_protocol', { protocol: account.protocol });
  const minutes = strictestOf(row.minutes, account.rules);
  return {
    asset: {
      id: row.target,
      hostname: row.hostname,
      ip: row.ip,
      port,
      orgId: row.org_id,
      charset: row.charset,
      allowsOldSsh: row.old_ssh,
      rdpSecurity: row.rdp_security ?? undefined,
      rdpConsole: row.rdp_console === true,
    },
    systemUser: {
      id: account.id,
      name: account.name,
      username: row.login,
      loginMode: account.login_mode,
      protocol: protocol.name,
      sftpRoot: account.sftp_root,
      ...(row.enforced && { allowedCommands: row.allowed_commands }),
      ...(row.no_password && protocol.name === 'vnc' && { isOpen: true }),
      ...(row.su_from_id !== null && { switchMethod: row.su_method }),
      ...(row.telnet && { telnet: row.telnet }),
    },
    ruleIds: account.rules,
    actions: account.mask,
    validUntil: account.validUntil,
    ...(minutes && { factorMinutes: minutes }),
    ...(row.instant_until && { instantUntil: row.instant_until }),
    ...approvalOf(row.approvals, account.rules),
    ...secondPersonOf(row.watched, account.rules),
    ...changesAt,
  };
}
