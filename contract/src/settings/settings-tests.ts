/** A step of testing settings. */
export interface TestStep<Step extends string = string> {
  readonly step: Step;
  readonly label: string;
  readonly ok: boolean;
  /** The result, or the other side's own error message. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** Result of testing settings; errors contain `steps` too. */
export interface SettingsTest<Step extends string> {
  readonly msg: string;
  readonly steps: readonly TestStep<Step>[];
}

/** POST settings/ldap/testing/config/ and settings/ldap/testing/login/ */
export type DirectoryTest = SettingsTest<
  'settings' | 'connect' | 'tls' | 'bind' | 'search' | 'match' | 'user_bind'
>;

/** POST settings/radius/testing/config/ and settings/radius/testing/login/ */
export type RadiusTest = SettingsTest<'settings' | 'answer' | 'password'>;

/** POST settings/openid/testing/ */
export type OpenidTest = SettingsTest<'discovery' | 'keys' | 'endpoints' | 'client' | 'redirect'>;

/** POST settings/saml/testing/ */
export type SamlTest = SettingsTest<
  'metadata' | 'endpoints' | 'certificates' | 'ourselves' | 'request'
>;

/** POST settings/cas/testing/ */
export type CasTest = SettingsTest<'login' | 'validation' | 'service'>;

/** POST settings/scim/testing/ */
export type ScimTest = SettingsTest<'settings' | 'tokens' | 'address' | 'users' | 'groups'>;
