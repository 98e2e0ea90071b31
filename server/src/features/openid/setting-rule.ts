import { mapProblems } from '../../platform/directory/connection.ts';
import { REQUIRED, type SettingRule } from '../../platform/settings/rules.ts';

/** Validates the settings of OpenID Connect. */
export const openidRule: SettingRule = ({
  AUTH_OPENID: isOn,
  AUTH_OPENID_ISSUER: issuer,
  AUTH_OPENID_CLIENT_ID: clientId,
  AUTH_OPENID_USER_ATTR_MAP: map,
}) => ({
  // Without a provider, the button on the sign-in page would lead nowhere.
  ...(isOn && !issuer && { AUTH_OPENID_ISSUER: REQUIRED }),
  ...(isOn && !clientId && { AUTH_OPENID_CLIENT_ID: REQUIRED }),
  ...mapProblems('AUTH_OPENID_USER_ATTR_MAP', map),
});
