import type { Problem, Settings } from '@sallyport/contract';

/**
 * Settings with the destination of each stored secret. The last one is the account name. Without
 * it, the secret is not used.
 */
const PLACES = {
  EMAIL_HOST_PASSWORD: [
    'EMAIL_HOST',
    'EMAIL_PORT',
    'EMAIL_USE_SSL',
    'EMAIL_USE_TLS',
    'EMAIL_HOST_USER',
  ],
  AUTH_LDAP_BIND_PASSWORD: ['AUTH_LDAP_SERVER_URI', 'AUTH_LDAP_START_TLS', 'AUTH_LDAP_BIND_DN'],
  AUTH_RADIUS_SECRET: ['AUTH_RADIUS_SERVERS'],
  AUTH_OPENID_CLIENT_SECRET: ['AUTH_OPENID_ISSUER', 'AUTH_OPENID_CLIENT_ID'],
} as const satisfies Readonly<Record<string, readonly (keyof Settings)[]>>;

type SecretName = keyof typeof PLACES;
type Values = Readonly<Partial<Record<keyof Settings, unknown>>>;

/**
 * Returns true if a secret would go to the server that it was stored for: same host, port,
 * protection and account.
 */
export function isSamePlace(secret: SecretName, stored: Values, wanted: Values): boolean {
  return PLACES[secret].every((name) => (wanted[name] ?? '') === (stored[name] ?? ''));
}

/** The effect of new settings on stored secrets. */
export interface MovedSecrets {
  /** Secrets that must be entered again, as the stored one would be sent to another server. */
  readonly problems: Readonly<Record<string, Problem[]>>;
  /** Secrets that are no longer used. Clearing them prevents later use with another server. */
  readonly dropped: readonly SecretName[];
}

/** Compares settings before and after a change. `typed` contains the secrets of the change. */
export function movedSecrets(before: Values, after: Values, typed: Values): MovedSecrets {
  const problems: Record<string, Problem[]> = {};
  const dropped: SecretName[] = [];
  for (const secret of Object.keys(PLACES) as SecretName[]) {
    if (!before[secret] || typed[secret] || isSamePlace(secret, before, after)) continue;
    const nameOfAccount = PLACES[secret].at(-1);
    if (nameOfAccount && after[nameOfAccount])
      problems[secret] = [{ code: 'password_for_other_server' }];
    else dropped.push(secret);
  }
  return { problems, dropped };
}
