import { actionNames } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type GrantedAccount, type GrantSubject, grantedAccounts } from './accounts.ts';
import { GrantCache } from './cache.ts';
import { type Coverage, IN_FORCE, isGranted, loadCoverage, rulesNaming } from './coverage.ts';
import { ASSETS } from './kind.ts';

/** A consistent view of a subject's grants, for several queries. */
export interface GrantView {
  readonly coverage: Coverage;
  /** True if an asset (alias `a`) is active and granted. */
  readonly isGranted: Sql;
  /** True if directly named assets appear under a node "Ungrouped" (`ungrouped.ts`). */
  readonly ungroups: boolean;
  /** Caches what was computed from this view until the grants change. */
  remember<T>(key: string, load: () => Promise<T>): Promise<T>;
}

/** A node of a user's tree; `assets_amount` counts the granted assets below it. */
export interface GrantedNode {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly org_id: string;
  readonly assets_amount: number;
  readonly has_children: boolean;
}

export interface GrantService {
  view(subject: GrantSubject): Promise<GrantView>;
  /**
   * Runs a read with the view. A cached view is checked while the read runs, since the database may
   * be remote; if the grants have changed, the result is dropped and the read runs again.
   */
  read<T>(subject: GrantSubject, work: (view: GrantView) => Promise<T>): Promise<T>;
  /**
   * System users granted on an asset, by ascending priority; none if the asset is inactive or not
   * granted.
   */
  accounts(subject: GrantSubject, assetId: string): Promise<GrantedAccount[]>;
  /**
   * Returns one system user; undefined if it is not granted. Never cached, because connections
   * depend on the answer. The caller judges the conditions (`judge`).
   */
  check(userId: string, assetId: string, systemUserId: string): Promise<GrantedAccount | undefined>;
  /** `accounts` for several assets, each with its asset. */
  accountsOn(
    subject: GrantSubject,
    assetIds: readonly string[],
  ): Promise<readonly (GrantedAccount & { readonly target: string })[]>;
  /** System users granted on any asset, by ascending priority. */
  accountsAnywhere(userId: string): Promise<GrantedAccount[]>;
  /** `check` for many assets, by asset. Assets without the grant are missing. */
  checkMany(
    userId: string,
    assetIds: readonly string[],
    systemUserId: string,
  ): Promise<ReadonlyMap<string, GrantedAccount>>;
}

/**
 * Creates the service that resolves permissions to access. No other code interprets permissions.
 */
export function createGrants(db: Db, ungroups: () => boolean = () => false): GrantService {
  const cache = new GrantCache(db);

  const accounts = async (
    subject: GrantSubject,
    assetId: string,
    systemUserId?: string,
  ): Promise<GrantedAccount[]> =>
    (await grantedAccounts(ASSETS, subject, { targets: [assetId], systemUserId }, db)).map(
      ({ target: _, ...account }) => account,
    );

  const nameOf = ({ isGroup, userId, organizationId }: GrantSubject): string =>
    `${isGroup ? 'group ' : ''}${userId} ${organizationId ?? '*'}`;
  const coverageKey = (subject: GrantSubject): string => `coverage ${nameOf(subject)}`;

  const viewAt = (version: number, subject: GrantSubject, coverage: Coverage): GrantView => {
    const isOn = ungroups();
    return {
      coverage,
      isGranted: isGranted(coverage),
      ungroups: isOn,
      remember: (key, load) =>
        cache.remember(
          version,
          `${key} ${nameOf(subject)}${isOn ? ' ungrouped' : ''}`,
          async () => ({ value: await load(), validUntil: coverage.validUntil }),
        ),
    };
  };

  const viewOf = async (version: number, subject: GrantSubject): Promise<GrantView> => {
    const coverage = await cache.remember(version, coverageKey(subject), async () => {
      const value = await loadCoverage(db, subject.userId, subject.organizationId, subject.isGroup);
      return { value, validUntil: value.validUntil };
    });
    return viewAt(version, subject, coverage);
  };

  return {
    view: async (subject) => viewOf(await cache.version(), subject),
    async read(subject, work) {
      const recent = cache.recent<Coverage>(coverageKey(subject));
      if (!recent) return work(await viewOf(await cache.version(), subject));
      const [version, early] = await Promise.all([
        cache.version(),
        Promise.allSettled([work(viewAt(recent.version, subject, recent.value))]),
      ]);
      if (version !== recent.version) return work(await viewOf(version, subject));
      if (early[0].status === 'rejected') throw early[0].reason;
      return early[0].value;
    },
    accounts: (subject, assetId) => accounts(subject, assetId),
    accountsOn: (subject, targets) => grantedAccounts(ASSETS, subject, { targets }, db),
    async check(userId, assetId, systemUserId) {
      return (await accounts({ userId, organizationId: undefined }, assetId, systemUserId))[0];
    },
    async accountsAnywhere(userId) {
      const { rows } = await sql<
        Omit<GrantedAccount, 'actions' | 'validUntil' | 'grants'> & { valid_until: Date }
      >`
        select s.id, s.name, s.username, s.priority, s.protocol, s.login_mode, s.sftp_root,
          s.username_same_with_user,
          bit_or(p.actions) as mask, array_agg(p.id order by p.id) as rules,
            max(p.date_expired) as valid_until
        from asset_permission p join asset_permission_system_users link
          on link.asset_permission_id = p.id join system_account s on s.id = link.system_user_id
        where p.id in ${rulesNaming(userId)} and ${IN_FORCE} group by s.id
        order by s.priority, s.name`.execute(db);
      return rows.map(({ valid_until, ...row }) => ({
        ...row,
        actions: actionNames(row.mask),
        validUntil: valid_until,
        grants: null,
      }));
    },
    async checkMany(userId, assetIds, systemUserId) {
      const accountsByTarget = await grantedAccounts(
        ASSETS,
        { userId, organizationId: undefined },
        { targets: assetIds, systemUserId },
        db,
      );
      return new Map(accountsByTarget.map(({ target, ...account }) => [target, account]));
    },
  };
}
