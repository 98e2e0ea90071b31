import { namesPerson, REQUIRED, type SettingRule } from '../../platform/settings/rules.ts';

/** Validates the settings of SAML. */
export const samlRule: SettingRule = ({
  AUTH_SAML_METADATA: text,
  AUTH_SAML_METADATA_URL: url,
  AUTH_SAML_USER_ATTR_MAP: map,
  AUTH_SAML: isOn,
}) => ({
  ...(isOn && text.trim() === '' && url === '' && { AUTH_SAML_METADATA_URL: REQUIRED }),
  ...(text.trim() !== '' &&
    url !== '' && { AUTH_SAML_METADATA: [{ code: 'saml_metadata_twice' }] }),
  ...(!namesPerson(map, ['subject']) && {
    AUTH_SAML_USER_ATTR_MAP: [{ code: 'saml_attribute_map' }],
  }),
});
