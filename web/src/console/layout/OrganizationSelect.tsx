import { Select } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { changeOrganization } from '../base/organizations.ts';
import { useSession } from '../base/session.tsx';
import { words } from '../base/words.ts';
import { useOrganizations } from '../start/useOrganizations.ts';

export function OrganizationSelect({ className }: { readonly className?: string | undefined }) {
  const { organization } = useSession();
  const organizations = useOrganizations();
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
