import { SETTING_CATEGORIES } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage, type TabSpec } from '../../resource/TabbedPage.tsx';
import { CategoryForm } from './CategoryForm.tsx';
import { tabName } from './categories.ts';
import { InterfaceTab } from './InterfaceTab.tsx';
import { LicenseTab } from './LicenseTab.tsx';
import { useLdapTools } from './ldap/useLdapTools.tsx';
import { useRadiusTools } from './useRadiusTools.tsx';
import { useCasTest, useMailTest, useOpenidTest, useSamlTest, useScimTokens } from './useTest.tsx';
import { words } from './words.ts';

/** Additions of categories to their forms. */
const EXTRAS = {
  email: useMailTest,
  ldap: useLdapTools,
  radius: useRadiusTools,
  openid: useOpenidTest,
  saml: useSamlTest,
  cas: useCasTest,
  scim: useScimTokens,
} as const;

/** Settings of the installation: a tab per category, then license and interface. */
export function SettingsPage() {
  const { settings } = useSession();
  const categories: TabSpec[] = Object.entries(SETTING_CATEGORIES).map(
    ([category, { title, fields }]) => {
      const useExtras = category in EXTRAS ? EXTRAS[category as keyof typeof EXTRAS] : undefined;
      return {
        name: tabName(category),
        label: t(title),
        render: () => (
          <CategoryForm
            key={category}
            category={category}
            fields={fields}
            {...(useExtras && { useExtras })}
          />
        ),
      };
    },
  );
  const others: TabSpec[] = [
    { name: 'License', label: t(words.license), render: () => <LicenseTab /> },
    ...(settings.XPACK_LICENSE_IS_VALID
      ? [{ name: 'Interface', label: t(words.interface), render: () => <InterfaceTab /> }]
      : []),
  ];
  return (
    <>
      <PageHeader />
      <TabbedPage tabs={[...categories, ...others]} />
    </>
  );
}
