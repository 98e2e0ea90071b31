import { casSettings } from '../features/cas/index.ts';
import { openidSettings } from '../features/openid/index.ts';
import { radiusSettings } from '../features/radius/index.ts';
import { samlSettings } from '../features/saml/index.ts';
import { SettingsPage } from '../features/settings/index.ts';

/** Additions of the features to their categories of settings. */
const ADDITIONS = {
  radius: radiusSettings,
  openid: openidSettings,
  saml: samlSettings,
  cas: casSettings,
};

export const SettingsScreen = () => <SettingsPage additions={ADDITIONS} />;
