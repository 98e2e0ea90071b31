import type { Sql } from '../../../platform/db/sql.ts';
import type { GrantKind } from '../grants/kind.ts';

/** A permission as it will be saved. For application permissions `assets` are applications. */
export interface PlannedPermission {
  readonly users: readonly string[];
  readonly user_groups: readonly string[];
  readonly assets: readonly string[];
  readonly nodes: readonly string[];
  readonly system_users: readonly string[];
  readonly mask: number;
  readonly until: Date;
}

/**
 * The form of a permission, reduced to objects that the caller may see. For application permissions
 * `assets` are applications.
 */
export interface PlannedTerms extends Omit<PlannedPermission, 'users' | 'mask' | 'until'> {
  readonly actions: readonly string[];
  /** Database permissions only. */
  readonly is_read_only: boolean;
  readonly is_active: boolean;
  readonly date_start: Date;
  readonly date_expired: Date;
}

/** A change of grants that is evaluated but not made. */
export interface Plan {
  readonly organizationId: string;
  /**
   * Kind of target. If absent, a change of group members affects all kinds, other changes assets.
   */
  readonly kind?: GrantKind;
  /** The moment to compare; absent: now. */
  readonly at?: Date | undefined;
  /** Permissions that are deleted, disabled or replaced. */
  readonly gone?: readonly string[];
  readonly enabled?: readonly string[];
  /** The permission that is saved. */
  readonly planned?: PlannedPermission | undefined;
  readonly members?: {
    readonly groups: readonly string[];
    readonly joining: readonly string[];
    readonly leaving: readonly string[];
  };
  /** Nodes that move below `target`. */
  readonly moved?: { readonly nodes: readonly string[]; readonly target: string };
}

/** True if the caller may see an account (alias `t`). */
export type Known = Sql;
