import { DEFAULT_ORGANIZATION_ID } from '@sallyport/contract';
import { BASE_PATH } from '../../kit/base-path.ts';
import { type Organization, rememberOrganization } from '../../kit/cookies.ts';

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

/**
 * Switches the organization and reloads. A page that shows an object is replaced by the start page.
 */
export function changeOrganization(organization: Organization): void {
  rememberOrganization(organization);
  if (namesAnObject(location.href)) location.assign(`${BASE_PATH}/`);
  else location.reload();
}
