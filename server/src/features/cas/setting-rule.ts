import { isProtected } from '../../platform/outgoing.ts';
import { namesPerson, REQUIRED, type SettingRule } from '../../platform/settings/rules.ts';

/** Validates the settings of CAS. */
export const casRule: SettingRule = ({
  AUTH_CAS_SERVER_URL: address,
  AUTH_CAS_USER_ATTR_MAP: map,
  AUTH_CAS: isOn,
}) => ({
  ...(isOn && address === '' && { AUTH_CAS_SERVER_URL: REQUIRED }),
  ...(address !== '' &&
    URL.canParse(address) &&
    !isProtected(new URL(address)) && { AUTH_CAS_SERVER_URL: [{ code: 'cas_address' }] }),
  ...(!namesPerson(map) && { AUTH_CAS_USER_ATTR_MAP: [{ code: 'cas_attribute_map' }] }),
});
