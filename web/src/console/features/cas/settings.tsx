import { t } from '../../../kit/i18n/index.ts';
import {
  AddressCard,
  type CategoryAddition,
  ProviderLinks,
  settingWords,
  useTestAlone,
} from '../settings/index.ts';
import { words } from './words.ts';

/** Tests the CAS server, and shows the address to register there. */
export const casSettings: CategoryAddition = {
  formTitle: settingWords.servers,
  useExtras: (form) => ({
    ...useTestAlone(form, 'settings/cas/testing/'),
    lead: (
      <AddressCard
        addresses={[{ label: t(words.serviceAddress), path: '/core/auth/cas/callback/' }]}
      />
    ),
    dialogs: <ProviderLinks source="cas" />,
  }),
};
