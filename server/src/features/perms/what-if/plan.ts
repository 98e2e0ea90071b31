import type { Sql } from '../../../resources/hooks.ts';
import type { GrantKind } from '../grants/kind.ts';

/** What a permission would say once it is saved; `assets` are applications in one about these. */
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
 * What a form says of a permission, `assets` as above; the objects are those that the caller may
 * know of.
 */
export interface PlannedTerms extends Omit<PlannedPermission, 'users' | 'mask' | 'until'> {
  readonly actions: readonly string[];
  /** Of permissions about databases. */
  readonly is_read_only: boolean;
  readonly is_active: boolean;
  readonly date_start: Date;
  readonly date_expired: Date;
}

/** A change that somebody thinks about, as far as grants depend on it. */
export interface Plan {
  readonly organizationId: string;
  /**
   * What the permissions of the plan are about; absent: of a change of groups it concerns every
   * kind, else assets.
   */
  readonly kind?: GrantKind;
  /** The moment that is compared; absent: now. */
  readonly at?: Date | undefined;
  /** Permissions that no longer hold as they are. */
  readonly gone?: readonly string[];
  /** Permissions that are switched on. */
  readonly enabled?: readonly string[];
  /** A permission that holds afterwards. */
  readonly planned?: PlannedPermission | undefined;
  /** Users who come to groups, or leave them. */
  readonly members?: {
    readonly groups: readonly string[];
    readonly joining: readonly string[];
    readonly leaving: readonly string[];
  };
  /** Nodes that are hung under another. */
  readonly moved?: { readonly nodes: readonly string[]; readonly target: string };
}

/** The condition that an account (alias `t`) may be known to the one who asks. */
export type Known = Sql;
