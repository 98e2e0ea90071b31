/** LDAP result codes (RFC 4511 §4.1.9) that do not mean a rejection. */
export const RESULT = { sizeLimitExceeded: 4, busy: 51, unavailable: 52 } as const;

/** Returns the result code of a directory's error; `undefined` for any other error. */
export function resultCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;
}
