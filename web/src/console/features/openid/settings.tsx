import {
  type CategoryAddition,
  ProviderLinks,
  settingWords,
  useTestAlone,
} from '../settings/index.ts';
import { OpenidSetup } from './OpenidSetup.tsx';

/** Tests the provider, and fills in the form for well-known ones. */
export const openidSettings: CategoryAddition = {
  formTitle: settingWords.provider,
  useExtras: (form) => ({
    ...useTestAlone(form, 'settings/openid/testing/'),
    lead: <OpenidSetup form={form} />,
    dialogs: <ProviderLinks source="openid" />,
  }),
};
