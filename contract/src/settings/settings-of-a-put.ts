/**
 * Settings that a PUT of their category must name: those that every client of API version 2.1
 * sends. A PUT leaves all others alone. Never add one: clients that do not know it would fail.
 */
export const SETTINGS_OF_A_PUT: ReadonlySet<string> = new Set([
  'SITE_URL',
  'EMAIL_SUBJECT_PREFIX',
  'EMAIL_HOST',
  'EMAIL_PORT',
  'AUTH_LDAP_SERVER_URI',
  'AUTH_LDAP_SEARCH_FILTER',
  'AUTH_LDAP_USER_ATTR_MAP',
  'TERMINAL_HEARTBEAT_INTERVAL',
  'TERMINAL_SESSION_KEEP_DURATION',
  'SECURITY_SERVICE_ACCOUNT_REGISTRATION',
  'SECURITY_LOGIN_LIMIT_COUNT',
  'SECURITY_LOGIN_LIMIT_TIME',
  'SECURITY_PASSWORD_EXPIRATION_TIME',
  'SECURITY_PASSWORD_MIN_LENGTH',
]);
