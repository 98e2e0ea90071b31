import { DEFAULT_ORGANIZATION_ID } from '@sallyport/contract';
import type { Organization } from '../../kit/organization.ts';

/**
 * The organization to use when the remembered one is unavailable: the default one, else the first.
 */
export function preferredOrganization(
  organizations: readonly Organization[],
): Organization | undefined {
  return (
    organizations.find((organization) => organization.id === '') ??
    organizations.find((organization) => organization.id === DEFAULT_ORGANIZATION_ID) ??
    organizations[0]
  );
}

/**
 * Returns true if an address contains an object id. Such a page is invalid in another organization.
 */
export function namesAnObject(address: string): boolean {
  return /[0-9a-zA-Z-]{36}/.test(address);
}
