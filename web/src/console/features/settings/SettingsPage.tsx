import {
  dutyChangesSettings,
  dutyCovers,
  type Field,
  featureOfSettings,
  type LocalText,
  Permission,
  SETTING_CATEGORIES,
  SIGN_IN_SETTINGS,
} from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import type { FormModel } from '../../resource/form/useForm.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { useReadOnly } from '../../resource/useReadOnly.ts';
import { type CategoryExtras, CategoryForm } from './CategoryForm.tsx';
import { tabName } from './categories.ts';
import { InterfaceTab } from './InterfaceTab.tsx';
import { LicenseTab } from './LicenseTab.tsx';
import { useLdapTools } from './ldap/useLdapTools.tsx';
import { SettingsRail, type Topic } from './SettingsRail.tsx';
import { useNoticePreview } from './useNoticePreview.tsx';
import { useMailTest, useScimTokens, useSiteUrl } from './useTest.tsx';
import { words } from './words.ts';

/** Additions to the form of a category. */
export interface CategoryAddition {
  /** Heading of its fields. */
  readonly formTitle?: LocalText;
  readonly useExtras: (form: FormModel) => CategoryExtras;
}
type CategoryAdditions = Readonly<Record<string, CategoryAddition>>;

/** Additions to the categories that belong to no other feature. */
const OWN_ADDITIONS: CategoryAdditions = {
  basic: { useExtras: useSiteUrl },
  email: { useExtras: useMailTest },
  notices: { useExtras: useNoticePreview },
  ldap: { useExtras: useLdapTools },
  scim: { useExtras: useScimTokens },
};

/** The groups of the rail in their order, with the categories that belong to each. */
const RAIL: readonly { readonly group: LocalText; readonly categories: readonly string[] }[] = [
  { group: words.general, categories: ['basic', 'notices'] },
  { group: words.access, categories: ['security', 'terminal', 'alerts'] },
  { group: words.providers, categories: Object.keys(SIGN_IN_SETTINGS) },
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
export function SettingsPage({ additions }: { readonly additions: CategoryAdditions }) {
  const all = { ...OWN_ADDITIONS, ...additions };
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
      const { formTitle, useExtras } = all[category] ?? {};
      const isShown = readOnly === undefined || HARMLESS.includes(category);
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
            {...(formTitle && { formTitle })}
            {...(useExtras && isShown && { useExtras })}
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
