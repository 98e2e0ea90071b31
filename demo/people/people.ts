import data from './people.json' with { type: 'json' };

/** A sample account. `days` is its age. */
export interface Person {
  readonly username: string;
  readonly name: string;
  readonly role: 'Admin' | 'Auditor' | 'User';
  readonly mail: string;
  readonly groups: readonly string[];
  readonly phone: string | null;
  readonly comment: string;
  readonly city: string;
  /** Network of the user's workplace. */
  readonly address: string;
  readonly days: number;
  readonly source?: 'local' | 'ldap';
  readonly isActive?: boolean;
  readonly isExpired?: boolean;
  /** True if the account has {@link DEMO_PASSWORD}; others cannot sign in. */
  readonly canSignIn?: boolean;
}

/** Public: the demo listens on loopback only and has no real data. */
export const DEMO_PASSWORD = 'sallyport-demo';

export const GROUPS: readonly { readonly name: string; readonly comment: string }[] = data.groups;

export const PEOPLE: readonly Person[] = (
  data.people as readonly (Omit<Person, 'mail' | 'phone' | 'comment'> & Partial<Person>)[]
).map((person) => ({
  phone: null,
  comment: '',
  mail: `${person.username}@example.com`,
  ...person,
}));
