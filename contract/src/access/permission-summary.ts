/** The first names of a kind of object, with the count. */
export interface SomeNames {
  readonly count: number;
  readonly names: readonly string[];
}

/** POST perms/permission-summary/: a summary of a permission with these objects. */
export interface PermissionSummary {
  readonly users: SomeNames;
  readonly user_groups: SomeNames;
  readonly assets: SomeNames;
  readonly nodes: SomeNames;
  readonly system_users: SomeNames;
  /** Distinct users, direct and through groups. */
  readonly people: number;
  /** Distinct assets, direct and through nodes. */
  readonly reached: number;
  /** System users by protocol that no reached asset offers; empty without assets. */
  readonly unoffered: readonly UnofferedProtocol[];
}

/** A protocol that no asset of a permission offers, and the system users that need it. */
export interface UnofferedProtocol {
  readonly protocol: string;
  readonly accounts: SomeNames;
}
