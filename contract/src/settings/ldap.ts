/** GET settings/ldap/periodic/: the last scheduled import. */
export interface LdapPeriodic {
  readonly date_begun: string | null;
  readonly date_done: string | null;
  /** Reason of an empty import; empty otherwise. */
  readonly reason: string;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly { readonly username: string; readonly reason: string }[];
}

/** GET settings/ldap/users/ lists these; 409 with `msg` while the server reads the directory. */
export interface LdapUser {
  /** The username: imports identify users by it. */
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** True if an account has this username. */
  readonly existing: boolean;
}

/** POST settings/ldap/users/import/: the result per user. */
export interface LdapImport {
  readonly msg: string;
  readonly results: readonly {
    readonly username: string;
    readonly result: 'created' | 'updated' | 'unchanged' | 'refused';
    /** Reason of a rejection; empty otherwise. */
    readonly reason: string;
  }[];
}
