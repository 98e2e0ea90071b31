import type { ErrorCode } from '@sallyport/contract';
import type pg from 'pg';
import { sqlState } from './db/database.ts';

/** Codes of PostgreSQL and of the operating system for a server that cannot store or serve more. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  '53100': 'server_disk_full',
  ENOSPC: 'server_disk_full',
  EDQUOT: 'server_disk_full',
  '25006': 'server_read_only',
  EROFS: 'server_read_only',
  '58030': 'server_disk_failing',
  EIO: 'server_disk_failing',
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
/** Sources of PostgreSQL that open, write and extend its files. Its errors name the source. */
const DATABASE_FILES = /^(?:buffile|copydir|fd|fileset|md|relmapper|slru|xlog)\.c$/;
/** SQLSTATEs of such a source: PostgreSQL calls a read-only disk a lack of privilege. */
const DATABASE_DISK: Readonly<Record<string, ErrorCode>> = {
  '42501': 'server_read_only',
  XX000: 'server_disk_failing',
};
/**
 * Endings of messages of an error without own SQLSTATE, such as that of a temporary file. Only a
 * server with English messages has them.
 */
const DATABASE_REASONS = [
  [/No space left on device$|Disk quota exceeded$/, 'server_disk_full'],
  [/Read-only file system$|Permission denied$/, 'server_read_only'],
] as const;

/** Returns the code of an error of PostgreSQL's own files. */
function databaseDiskProblem(error: Error): ErrorCode | undefined {
  const { file = '', code = '' } = error as pg.DatabaseError;
  if (!DATABASE_FILES.test(file) || !Object.hasOwn(DATABASE_DISK, code)) return undefined;
  const [, known] = DATABASE_REASONS.find(([text]) => text.test(error.message)) ?? [];
  return known ?? DATABASE_DISK[code];
}

/** Errors around an error that are looked into. */
const MAX_CAUSES = 5;

/**
 * Returns the code for users of an error of the server itself: no disk space, a read-only or
 * failing disk, or no memory, files or database connections left. Undefined for other errors.
 */
export function exhaustionOf(error: unknown): ErrorCode | undefined {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    const { syscall, code: name = '' } = cause as NodeJS.ErrnoException;
    const code = sqlState(cause)?.code ?? (syscall === undefined ? '' : name);
    const known = Object.hasOwn(CODES, code) ? CODES[code] : databaseDiskProblem(cause);
    if (known) return known;
    if (NO_MEMORY.test(cause.message)) return 'server_resources';
    cause = cause.cause;
  }
  return undefined;
}
