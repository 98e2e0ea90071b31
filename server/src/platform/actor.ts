import {
  type AccountRole,
  type CallerRoles,
  DEFAULT_LANGUAGE,
  DEFAULT_ORGANIZATION_NAME,
  type Language,
  type OrganizationRole,
  permissionsOf,
} from '@sallyport/contract';

/** An organization as requests name it. The default one has the id '' in the database; users see `DEFAULT`. */
export interface CurrentOrganization {
  readonly id: string;
  readonly name: string;
}

/** The default organization: virtual, its objects carry an empty id. */
export const DEFAULT_ORGANIZATION: CurrentOrganization = {
  id: '',
  name: DEFAULT_ORGANIZATION_NAME,
};

/** The authenticated user of a request, with organization and permissions; created once per request, from verified facts only. */
export interface Actor extends CallerRoles {
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly organizationRoles: readonly OrganizationRole[];
  readonly organization: CurrentOrganization;
  /** Active and not expired; others may only look at their own profile. */
  readonly isValid: boolean;
  /** All permission bits in the current organization. */
  readonly permissions: number;
  readonly remoteAddress: string;
  /** The sign-in this request belongs to, and how it was presented; of a signed request, the access key. */
  readonly session: {
    readonly id: string;
    readonly kind:
      | 'browser'
      | 'bearer'
      | 'ssh'
      | 'access-key'
      | 'system' /** The accounts that a part of the program writes for. */;
    readonly source?: ExternalSource;
  };
}

/** Uses the engine and the services: an actor in an organization, with the language and the time zone to answer in. */
export interface Caller {
  readonly actor: Actor;
  readonly language: Language;
  /** IANA zone that dates are read and written in. */
  readonly zone: string;
  /** The person on whose request a part of the program acts; the operate log names them. */
  readonly requestedBy?: Actor;
  /** The objects below which nested resources are read and written, by resource: its rows elsewhere do not exist for this caller. */
  readonly within?: Readonly<Record<string, string>>;
}

/** The zone of dates when a caller names none (conformance 7.1). */
export const DEFAULT_ZONE = 'Asia/Shanghai';

/** Where accounts come from that are not made here, by the part of the program that writes them. */
const SOURCES = {
  LDAP: 'ldap',
  OpenID: 'openid',
  RADIUS: 'radius',
  SAML: 'saml',
  CAS: 'cas',
} as const;
export type ExternalSource = (typeof SOURCES)[keyof typeof SOURCES];

/** Parts of the program that write on their own, by the name that the operate log shows. */
export type ServiceName = keyof typeof SOURCES | 'SCIM' | 'System' | 'Command line' | 'Cloud sync';

/** The source of accounts that a caller writes for; undefined for people and for other parts of the program. */
export function externalSourceOf({ session, name }: Actor): ExternalSource | undefined {
  if (session.kind !== 'system') return undefined;
  return (
    session.source ??
    (Object.hasOwn(SOURCES, name) ? SOURCES[name as keyof typeof SOURCES] : undefined)
  );
}

/** A caller that is not a user: a directory, a provider, a job, or a command of the operator. It may do everything; the operate log shows its name. */
export function systemCaller(
  name: ServiceName,
  remoteAddress = '',
  organization = DEFAULT_ORGANIZATION,
): Caller {
  const roles = { role: 'Admin' as const, organizationRoles: [] };
  const actor: Actor = {
    ...roles,
    userId: '00000000-0000-0000-0000-000000000000',
    username: '',
    name,
    organization,
    isValid: true,
    permissions: permissionsOf(roles),
    remoteAddress,
    session: { id: '', kind: 'system' },
  };
  return { actor, language: DEFAULT_LANGUAGE, zone: DEFAULT_ZONE };
}

/** The permission bits of an account in an organization; none at all for one that is disabled or expired. */
export function bitsOf(roles: CallerRoles, isValid: boolean): number {
  return isValid ? permissionsOf(roles) : 0;
}

/** How logs name a user: `Name(username)`; a part of the program has only a name. */
export function displayName(person: { readonly name: string; readonly username: string }): string {
  return person.username === '' ? person.name : `${person.name}(${person.username})`;
}
