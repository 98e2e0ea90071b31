import {
  type Access,
  type AccountRole,
  allows,
  type CallerRoles,
  DEFAULT_LANGUAGE,
  DEFAULT_ORGANIZATION_NAME,
  type DutyOrNone,
  dutyCovers,
  type ExternalSource,
  type Language,
  type OrganizationRole,
  permissionsOf,
  type Resource,
  SIGN_IN_SOURCES,
  type SourceService,
} from '@sallyport/contract';

/**
 * An organization of a request. The default one has the id '' in the database; users see `DEFAULT`.
 */
export interface CurrentOrganization {
  readonly id: string;
  readonly name: string;
}

/** The default organization. It has no row; its objects carry an empty organization id. */
export const DEFAULT_ORGANIZATION: CurrentOrganization = {
  id: '',
  name: DEFAULT_ORGANIZATION_NAME,
};

/**
 * The authenticated user of a request, with organization and permissions. Created once per request
 * from verified data only.
 */
export interface Actor extends CallerRoles {
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly duty: DutyOrNone;
  readonly organizationRoles: readonly OrganizationRole[];
  readonly organization: CurrentOrganization;
  /** Active and not expired. Other users may only read their own profile. */
  readonly isValid: boolean;
  /** All permission bits in the current organization. */
  readonly permissions: number;
  readonly remoteAddress: string;
  /** The sign-in session of the request, or the access key of a signed request. */
  readonly session: {
    readonly id: string;
    readonly kind:
      | 'browser'
      | 'bearer'
      | 'ssh'
      | 'access-key'
      /** The token of an agent. */
      | 'agent'
      | 'system' /** Callers that are part of the program. */;
    readonly source?: ExternalSource;
  };
}

/** The account of the first start. It stays usable, or is sealed while others hold its duties. */
export const FIRST_ADMINISTRATOR = 'admin';

/** Returns true if permissions and duty of an actor cover a verb of a resource. */
export function mayUse(
  { permissions, duty }: Pick<Actor, 'permissions' | 'duty'>,
  { access, area }: Pick<Resource, 'access' | 'area'>,
  verb: keyof Access,
): boolean {
  const needed = access[verb];
  return (
    needed !== undefined &&
    allows(permissions, needed) &&
    dutyCovers(duty, area, verb === 'read' ? 'read' : 'change')
  );
}

/** Returns true for valid administrators and auditors of the installation. */
export const oversees = (actor: Pick<Actor, 'isValid' | 'role'> | undefined): boolean =>
  actor?.isValid === true && (actor.role === 'Admin' || actor.role === 'Auditor');

/**
 * The caller of the engine and the services: the actor, and the language and time zone
 * of the response.
 */
export interface Caller {
  readonly actor: Actor;
  readonly language: Language;
  /** IANA time zone of dates in requests and responses. */
  readonly zone: string;
  /** The user on whose request a part of the program acts. The operate log names this user. */
  readonly requestedBy?: Actor;
  /** True while an approved change set writes for its proposer, who has no session then. */
  readonly isApproved?: boolean;
  /**
   * Parent ids of nested resources, by resource. Rows below other parents do not exist for this
   * caller.
   */
  readonly within?: Readonly<Record<string, string>>;
}

/** Time zone of dates when the caller sends none (conformance 7.1). */
export const DEFAULT_ZONE = 'Asia/Shanghai';

/** Parts of the program that write without a user, by their name in the operate log. */
export type ServiceName =
  | SourceService
  | 'SCIM'
  | 'System'
  | 'Command line'
  | 'Import'
  | 'Cloud sync';

/**
 * Returns the source of the accounts that a caller writes; undefined for users and other parts of
 * the program.
 */
export function externalSourceOf({ session, name }: Actor): ExternalSource | undefined {
  if (session.kind !== 'system') return undefined;
  return session.source ?? SIGN_IN_SOURCES.find(({ service }) => service === name)?.value;
}

/**
 * Creates a caller for a directory, an identity provider, a job or an operator command. It has all
 * permissions; the operate log shows `name`.
 */
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
    duty: '',
    organization,
    isValid: true,
    permissions: permissionsOf(roles),
    remoteAddress,
    session: { id: '', kind: 'system' },
  };
  return { actor, language: DEFAULT_LANGUAGE, zone: DEFAULT_ZONE };
}

/**
 * Returns the permission bits of an account in an organization; 0 for a disabled or expired
 * account.
 */
export function bitsOf(roles: CallerRoles, isValid: boolean): number {
  return isValid ? permissionsOf(roles) : 0;
}

/** Formats a user for logs as `Name(username)`; a part of the program has only a name. */
export function displayName(person: { readonly name: string; readonly username: string }): string {
  return person.username === '' ? person.name : `${person.name}(${person.username})`;
}
