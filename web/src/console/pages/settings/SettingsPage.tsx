import '../../../kit/styles-more.css';
import { Skeleton } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import listStyles from '../../resource/list/List.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage, type TabSpec } from '../../resource/TabbedPage.tsx';
import { fieldsOf, useMetadata } from '../../resource/useMetadata.ts';
import { useSession } from '../../start/session.tsx';
import { CategoryForm, SETTINGS_URL } from './CategoryForm.tsx';
import { tabName } from './categories.ts';
import { InterfaceTab } from './InterfaceTab.tsx';
import { LicenseTab } from './LicenseTab.tsx';
import { useLdapTools } from './ldap/useLdapTools.tsx';
import { useMailTest, useOpenidTest } from './useTest.tsx';
import { words } from './words.ts';

/** What categories can do beside being saved. */
const EXTRAS = { email: useMailTest, ldap: useLdapTools, openid: useOpenidTest } as const;

/** How the installation works: a tab for each category the server has, then license and look. */
export function SettingsPage() {
  const { settings } = useSession();
  const metadata = useMetadata(SETTINGS_URL);
  const categories: TabSpec[] = Object.entries(fieldsOf(metadata.data, 'PUT')).map(([category, { label, children = {} }]) => {
    const useExtras = category in EXTRAS ? EXTRAS[category as keyof typeof EXTRAS] : undefined;
    return {
      name: tabName(category),
      label,
      render: () => <CategoryForm key={category} category={category} fields={children} {...(useExtras && { useExtras })} />,
    };
  });
  const others: TabSpec[] = [
    { name: 'License', label: t(words.license), render: () => <LicenseTab /> },
    ...(settings.XPACK_LICENSE_IS_VALID ? [{ name: 'Interface', label: t(words.interface), render: () => <InterfaceTab /> }] : []),
  ];
  return (
    <>
      <PageHeader />
      {metadata.isError ? (
        <div className={listStyles.card}>
          <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
        </div>
      ) : metadata.data ? (
        <TabbedPage tabs={[...categories, ...others]} />
      ) : (
        <Skeleton height={360} aria-busy="true" />
      )}
    </>
  );
}
