import { actionNames } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { GrantCache } from './cache.ts';
import { type Coverage, IN_FORCE, isGranted, loadCoverage, rulesNaming } from './coverage.ts';

/** A system user as it is granted for one asset, and by which rules. */
export interface GrantedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly priority: number;
  readonly protocol: string;
  readonly login_mode: 'auto' | 'manual';
  readonly sftp_root: string;
  readonly username_same_with_user: boolean;
  readonly actions: readonly string[];
  readonly mask: number;
  /** Why: the rules that grant it. */
  readonly rules: readonly string[];
  /** When the last of those rules ends. */
  readonly validUntil: Date;
}

/** The user or group whose grants are asked for, and where: one organization, or `undefined` for all of them. */
export interface GrantSubject {
  readonly userId: string;
  /** The id is that of a group: what its members are granted. */
  readonly isGroup?: boolean;
  readonly organizationId: string | undefined;
}

/** The grants at one moment, for several questions. */
export interface GrantView {
  readonly coverage: Coverage;
  /** The condition that an asset (alias `a`) is active and granted. */
  readonly isGranted: Sql;
  /** Caches what was computed from this view until the grants change. */
  remember<T>(key: string, load: () => Promise<T>): Promise<T>;
}

export interface GrantService {
  /** What a user's rules reach now. */
  view(subject: GrantSubject): Promise<GrantView>;
  /** The accounts a user may use on an asset, by ascending priority; none for an asset that is not granted or not active. */
  accounts(subject: GrantSubject, assetId: string): Promise<GrantedAccount[]>;
  /** One of them; undefined when it is not granted. Always reads the database, because a connection may depend on it. */
  check(userId: string, assetId: string, systemUserId: string): Promise<GrantedAccount | undefined>;
}

/** Answers what users may reach, with which system users, and why. The only place that knows how permissions become access. */
export function createGrants(db: Db): GrantService {
  const cache = new GrantCache(db);

  const accounts = async ({ userId, isGroup = false, organizationId }: GrantSubject, assetId: string, systemUserId?: string): Promise<GrantedAccount[]> => {
    const { rows } = await sql<Omit<GrantedAccount, 'actions' | 'validUntil'> & { valid_until: Date }>`
      with rule as materialized (
        select p.id, p.actions, p.date_expired from asset_permission p
        where p.id in ${rulesNaming(userId, isGroup)} and ${IN_FORCE} and ${organizationId === undefined ? sql`true` : sql`p.org_id = ${organizationId}`}
      ), covering as materialized (
        select rule.* from rule where
          exists (select 1 from asset_permission_assets direct where direct.asset_permission_id = rule.id and direct.asset_id = ${assetId})
          or exists (select 1 from asset_permission_nodes link join asset_ancestor above on above.node_id = link.node_id and above.asset_id = ${assetId} where link.asset_permission_id = rule.id)
      )
      select s.id, s.name, s.username, s.priority, s.protocol, s.login_mode, s.sftp_root, s.username_same_with_user,
        bit_or(covering.actions) as mask, array_agg(covering.id order by covering.id) as rules, max(covering.date_expired) as valid_until
      from covering
        join asset_permission_system_users link on link.asset_permission_id = covering.id
        join system_account s on s.id = link.system_user_id
        join asset a on a.id = ${assetId} and a.is_active
        ${isGroup ? sql`` : sql`join account u on u.id = ${userId} and u.is_active and coalesce(u.date_expired > now(), true)`}
      where ${systemUserId === undefined ? sql`true` : sql`s.id = ${systemUserId}`}
        and exists (select 1 from unnest(a.protocols) offered where split_part(offered, '/', 1) = s.protocol)
      group by s.id order by s.priority, s.name`.execute(db);
    return rows.map(({ valid_until, ...row }) => ({ ...row, actions: actionNames(row.mask), validUntil: valid_until }));
  };

  return {
    async view(subject) {
      const version = await cache.version();
      const name = `${subject.isGroup ? 'group ' : ''}${subject.userId} ${subject.organizationId ?? '*'}`;
      const coverage = await cache.remember(version, `coverage ${name}`, async () => {
        const value = await loadCoverage(db, subject.userId, subject.organizationId, subject.isGroup);
        return { value, validUntil: value.validUntil };
      });
      return {
        coverage,
        isGranted: isGranted(coverage),
        remember: (key, load) => cache.remember(version, `${key} ${name}`, async () => ({ value: await load(), validUntil: coverage.validUntil })),
      };
    },
    accounts: (subject, assetId) => accounts(subject, assetId),
    async check(userId, assetId, systemUserId) {
      return (await accounts({ userId, organizationId: undefined }, assetId, systemUserId))[0];
    },
  };
}
