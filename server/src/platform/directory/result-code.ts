/** Result codes of LDAP (RFC 4511 §4.1.9) that are not simply a refusal. */
export const RESULT = { sizeLimitExceeded: 4, busy: 51, unavailable: 52 } as const;

/** The result code with which a directory answered; `undefined` for any other error. */
export function resultCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;
}
