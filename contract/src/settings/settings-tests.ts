import type { SourceState } from '../source-states.ts';
/** A step of testing settings. */
export interface TestStep<Step extends string = string> {
  readonly step: Step;
  readonly label: string;
  readonly ok: boolean;
  /** The result, or the other side's own error message. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** Result of testing settings; errors contain `steps` too. */
export interface SettingsTest<Step extends string> {
  readonly msg: string;
  readonly steps: readonly TestStep<Step>[];
}

/** POST settings/ldap/testing/config/ and settings/ldap/testing/login/ */
export type DirectoryTest = SettingsTest<
  'settings' | 'connect' | 'tls' | 'bind' | 'search' | 'match' | 'user_bind' | 'account'
>;

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

/** GET settings/ldap/reading/: the last read of the directory. */
export interface LdapReading {
  readonly date_read: string | null;
  readonly failing_since: string | null;
  /** Reason of the failure; empty otherwise. */
  readonly reason: string;
  /** A read that would end the access of many users, until an administrator confirms it. */
  readonly held: {
    readonly id: string;
    readonly date: string;
    /** Users that would lose access, and active users of the directory. */
    readonly count: number;
    readonly of: number;
    /** Users that lost access within the day before, and count towards the limit. */
    readonly recent: number;
    /** The first of them. */
    readonly people: readonly {
      readonly username: string;
      readonly name: string;
      readonly state: SourceState;
      readonly state_display: string;
    }[];
  } | null;
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
