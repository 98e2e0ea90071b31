/** Maximum servers of one pre-check of a rotation plan. */
export const MOST_CHECKED = 500;

/** Maximum accounts that the form of a rotation plan suggests. */
export const MOST_SUGGESTED = 20;

/** GET xpack/change-auth-plan/accounts/: an account known on active assets. */
export interface KnownAccount {
  readonly username: string;
  readonly assets_amount: number;
}

/** One server of a pre-check. */
export interface CheckedHost {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  /** True if the account is known on the asset: stored, pushed, or its admin user. */
  readonly is_known: boolean;
  /** The reason that a run would fail on the server; empty for none. */
  readonly reason: string;
}

/** POST xpack/change-auth-plan/check/: the servers of a plan before its first run. */
export interface PlanCheck {
  /** The servers of the plan, at most 500, those with a reason first. */
  readonly hosts: readonly CheckedHost[];
  /** True if the plan has more servers than that. */
  readonly is_cut: boolean;
  /** Other active assets that know the account. */
  readonly others: readonly string[];
}
