import { Select } from '@mantine/core';
import { isAdminRole } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { type Organization, rememberOrganization } from '../../kit/organization.ts';
import { BASE_PATH } from '../start/addresses.ts';
import { namesAnObject } from '../start/organizations.ts';
import { useSession } from '../start/session.tsx';
import { words } from '../words.ts';

/** Works in another organization from now on. The page loads anew; one that shows an object gives way to the start page. */
export function changeOrganization(organization: Organization): void {
  rememberOrganization(organization);
  if (namesAnObject(location.href)) location.assign(`${BASE_PATH}/`);
  else location.reload();
}

/** The choice of organization: only outside of the user area, and only when there is a choice. */
export function OrganizationSelect({ className }: { readonly className?: string | undefined }) {
  const { organizations, organization, role } = useSession();
  if (!isAdminRole(role.current) || organizations.length < 2) return null;
  return (
    <Select
      {...(className && { className })}
      aria-label={t(words.organization)}
      size="xs"
      searchable
      allowDeselect={false}
      data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      value={organization?.id ?? null}
      onChange={(id) => {
        const chosen = organizations.find((one) => one.id === id);
        if (chosen && chosen.id !== organization?.id) changeOrganization(chosen);
      }}
    />
  );
}
