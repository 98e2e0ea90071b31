/** GET settings/ldap/periodic/: the last import that the server did by itself. */
export interface LdapPeriodic {
  readonly date_begun: string | null;
  readonly date_done: string | null;
  /** Why nothing was imported; blank when something was. */
  readonly reason: string;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly { readonly username: string; readonly reason: string }[];
}

/** GET settings/ldap/users/ lists these; 409 with `msg` while the directory is being read. */
export interface LdapUser {
  /** The username: that is how an import names people. */
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** Whether there is an account of this name. */
  readonly existing: boolean;
}

/** POST settings/ldap/users/import/: what became of each. */
export interface LdapImport {
  readonly msg: string;
  readonly results: readonly {
    readonly username: string;
    readonly result: 'created' | 'updated' | 'unchanged' | 'refused';
    /** Why a person was refused; blank otherwise. */
    readonly reason: string;
  }[];
}
