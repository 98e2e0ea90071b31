import { type AccountRole, type OrganizationRole, permissionsOf, type Standing } from '@sallyport/contract';

/** An organization as requests name it. The default one has the id '' in the database and `DEFAULT` towards people. */
export interface CurrentOrganization {
  readonly id: string;
  readonly name: string;
}

/** Who asks, in which organization, with which permissions; made once for each request, from verified facts only. */
export interface Actor extends Standing {
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
  readonly session: { readonly id: string; readonly kind: 'browser' | 'bearer' | 'access-key' };
}

/** The permission bits of an account in an organization; none at all for one that is disabled or expired. */
export function bitsOf(standing: Standing, isValid: boolean): number {
  return isValid ? permissionsOf(standing) : 0;
}

/** How logs name a person: `Name(username)`. */
export function displayName(person: { readonly name: string; readonly username: string }): string {
  return `${person.name}(${person.username})`;
}
