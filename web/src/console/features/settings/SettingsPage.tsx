import { Button } from '@mantine/core';
import {
  dutyChangesSettings,
  dutyCovers,
  type Field,
  featureOfSettings,
  type LocalText,
  Permission,
  SETTING_CATEGORIES,
} from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import type { FormModel } from '../../resource/form/useForm.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { useReadOnly } from '../../resource/useReadOnly.ts';
import { type CategoryExtras, CategoryForm } from './CategoryForm.tsx';
import { tabName } from './categories.ts';
import { InterfaceTab } from './InterfaceTab.tsx';
import { LicenseTab } from './LicenseTab.tsx';
import { LoginDialog } from './LoginDialog.tsx';
import { useLdapTools } from './ldap/useLdapTools.tsx';
import { SettingsRail, type Topic } from './SettingsRail.tsx';
import { useNoticePreview } from './useNoticePreview.tsx';
import {
  useCasTest,
  useMailTest,
  useOpenidTest,
  useSamlTest,
  useScimTokens,
  useSiteUrl,
  useTest,
} from './useTest.tsx';
import { words } from './words.ts';

/** Actions on RADIUS servers: test the form's values, test a sign-in. */
function useRadiusTools(form: FormModel): CategoryExtras {
  const { button, notice } = useTest(form, 'settings/radius/testing/config/');
  const [isOpen, setIsOpen] = useState(false);
  return {
    buttons: (
      <>
        {button}
        <Button variant="default" disabled={form.saving} onClick={() => setIsOpen(true)}>
          {t(words.testLogin)}
        </Button>
      </>
    ),
    notice,
    dialogs: isOpen && (
      <LoginDialog url="settings/radius/testing/login/" onClose={() => setIsOpen(false)} />
    ),
  };
}

/** Additions of categories to their forms. */
const EXTRAS = {
  basic: useSiteUrl,
  email: useMailTest,
  notices: useNoticePreview,
  ldap: useLdapTools,
  radius: useRadiusTools,
  openid: useOpenidTest,
  saml: useSamlTest,
  cas: useCasTest,
  scim: useScimTokens,
} as const;

/** The groups of the rail in their order, with the categories that belong to each. */
const RAIL: readonly { readonly group: LocalText; readonly categories: readonly string[] }[] = [
  { group: words.general, categories: ['basic', 'notices'] },
  { group: words.access, categories: ['security', 'terminal', 'alerts'] },
  {
    group: words.providers,
    categories: ['ldap', 'radius', 'openid', 'saml', 'cas', 'scim'],
  },
  { group: words.mail, categories: ['email', 'email_content'] },
];
const groupOf = (category: string) =>
  RAIL.find(({ categories }) => categories.includes(category))?.group ?? words.general;
const placeOf = ({ group }: Topic) => RAIL.findIndex((each) => each.group === group);

/** Additions that neither change nor test anything. */
const HARMLESS: readonly string[] = ['notices'];

/**
 * Settings of the installation that the user may change: categories, license and interface. Super
 * auditors read them.
 */
export function SettingsPage() {
  const {
    settings,
    profile: { duty },
  } = useSession();
  const isOff = (category: string) => {
    const feature = featureOfSettings(category);
    return feature !== undefined && settings.FEATURES_OFF?.includes(feature) === true;
  };
  const readOnly = useReadOnly(Permission.SUPER | Permission.ADMIN);
  const categories: Topic[] = Object.entries(SETTING_CATEGORIES)
    .filter(([category]) => dutyChangesSettings(duty, category) && !isOff(category))
    .map(([category, { title, fields }]) => {
      const hasExtras =
        category in EXTRAS && (readOnly === undefined || HARMLESS.includes(category));
      const useExtras = hasExtras ? EXTRAS[category as keyof typeof EXTRAS] : undefined;
      return {
        name: tabName(category),
        label: t(title),
        group: groupOf(category),
        terms: Object.values<Field>(fields).map(({ label }) => t(label)),
        render: () => (
          <CategoryForm
            key={category}
            category={category}
            fields={fields}
            readOnly={readOnly}
            {...(useExtras && { useExtras })}
          />
        ),
      };
    });
  const operates = dutyCovers(duty, 'operation', 'change');
  const general = { group: words.general, terms: [] };
  const topics: Topic[] = [
    ...categories,
    ...(operates && settings.XPACK_LICENSE_IS_VALID
      ? [
          {
            ...general,
            name: 'Interface',
            label: t(words.interface),
            render: () => <InterfaceTab readOnly={readOnly} />,
          },
        ]
      : []),
    ...(operates
      ? [
          {
            ...general,
            name: 'License',
            label: t(words.license),
            render: () => <LicenseTab readOnly={readOnly} />,
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeader {...(readOnly !== undefined && { hint: readOnly })} />
      <SettingsRail topics={topics.toSorted((one, other) => placeOf(one) - placeOf(other))} />
    </>
  );
}
