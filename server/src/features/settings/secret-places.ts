import type { Problem, Settings } from '@sallyport/contract';

/**
 * Where a stored secret is sent, and under which name; the name comes last. Without a name the
 * secret is not used.
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
 * Whether a secret would go to the server that it was stored for: same host, port, protection and
 * name.
 */
export function isSamePlace(secret: SecretName, stored: Values, wanted: Values): boolean {
  return PLACES[secret].every((name) => (wanted[name] ?? '') === (stored[name] ?? ''));
}

/** What new settings mean for the stored secrets. */
export interface MovedSecrets {
  /**
   * Secrets that must be typed again, because otherwise the stored one would be sent to another
   * server.
   */
  readonly problems: Readonly<Record<string, Problem[]>>;
  /** Secrets that are used no longer and must not wait for the next server. */
  readonly dropped: readonly SecretName[];
}

/** Compares settings before and after a change. `typed` holds the secrets that came with it. */
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
