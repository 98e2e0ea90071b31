import { DEFAULT_ORGANIZATION_ID } from '@sallyport/contract';
import type { Organization } from '../../kit/organization.ts';

/** The organization to work in when the remembered one does not serve: the default one, else the first. */
export function preferredOrganization(
  organizations: readonly Organization[],
): Organization | undefined {
  return (
    organizations.find((organization) => organization.id === '') ??
    organizations.find((organization) => organization.id === DEFAULT_ORGANIZATION_ID) ??
    organizations[0]
  );
}

/** Whether an address names an object: such a page cannot outlive a change of the organization. */
export function namesAnObject(address: string): boolean {
  return /[0-9a-zA-Z-]{36}/.test(address);
}
