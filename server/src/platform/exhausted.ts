import type { ErrorCode } from '@sallyport/contract';
import { sqlState } from './db/database.ts';

/** Codes of PostgreSQL and of the operating system for a server that cannot store or serve more. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  '53100': 'server_disk_full',
  ENOSPC: 'server_disk_full',
  EDQUOT: 'server_disk_full',
  '25006': 'server_read_only',
  EROFS: 'server_read_only',
  '53000': 'server_resources',
  '53200': 'server_resources',
  '53300': 'server_resources',
  '53400': 'server_resources',
  EMFILE: 'server_resources',
  ENFILE: 'server_resources',
  ENOMEM: 'server_resources',
};
/**
 * Messages of errors without a code: of `@node-rs/argon2`, of OpenSSL (scrypt and keys), and of
 * V8 for a buffer.
 */
const NO_MEMORY =
  /^Memory allocation error$|libcrypto routines::malloc failure$|^Array buffer allocation failed$/;
/** Errors around an error that are looked into. */
const MAX_CAUSES = 5;

/**
 * Returns the code for users if an error says that the server has no disk space, may not write, or
 * has no memory, files or database connections left; undefined for other errors.
 */
export function exhaustionOf(error: unknown): ErrorCode | undefined {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    const { syscall, code: name = '' } = cause as NodeJS.ErrnoException;
    const code = sqlState(cause)?.code ?? (syscall === undefined ? '' : name);
    const known = Object.hasOwn(CODES, code) ? CODES[code] : undefined;
    if (known) return known;
    if (NO_MEMORY.test(cause.message)) return 'server_resources';
    cause = cause.cause;
  }
  return undefined;
}
