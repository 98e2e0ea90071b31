import { type Organization, rememberOrganization } from '../../kit/organization.ts';
import { BASE_PATH } from './addresses.ts';
import { namesAnObject } from './organizations.ts';

/**
 * Switches the organization and reloads. A page that shows an object is replaced by the start page.
 */
export function changeOrganization(organization: Organization): void {
  rememberOrganization(organization);
  if (namesAnObject(location.href)) location.assign(`${BASE_PATH}/`);
  else location.reload();
}
