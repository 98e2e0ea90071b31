import { t } from '../../../kit/i18n/index.ts';
import {
  AddressCard,
  type CategoryAddition,
  ProviderLinks,
  settingWords,
  useTestAlone,
} from '../settings/index.ts';
import { words } from './words.ts';

/** Tests the SAML provider, and shows the addresses to register there. */
export const samlSettings: CategoryAddition = {
  formTitle: settingWords.provider,
  useExtras: (form) => ({
    ...useTestAlone(form, 'settings/saml/testing/'),
    lead: (
      <AddressCard
        addresses={[
          { label: t(words.acsAddress), path: '/core/auth/saml/acs/' },
          { label: t(words.entityAddress), path: '/core/auth/saml/metadata/' },
          { label: t(words.logoutAddress), path: '/core/auth/saml/sls/' },
        ]}
      />
    ),
    dialogs: <ProviderLinks source="saml" />,
  }),
};
