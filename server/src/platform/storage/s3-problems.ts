import { StorageError, type StorageProblem } from './storage.ts';

const PROBLEMS: Readonly<Record<string, StorageProblem>> = {
  NoSuchKey: 'missing',
  NotFound: 'missing',
  InvalidRange: 'range',
  AccessDenied: 'refused',
  InvalidAccessKeyId: 'refused',
  SignatureDoesNotMatch: 'refused',
  FileImmutable: 'retained',
  QuotaExceeded: 'full',
  InsufficientStorage: 'full',
  XMinioStorageFull: 'full',
  XMinioAdminBucketQuotaExceeded: 'full',
};
const BY_STATUS: Readonly<Record<number, StorageProblem>> = {
  401: 'refused',
  403: 'refused',
  507: 'full',
};
/** Services report a retention lock under codes for anything, such as `AccessDenied`. */
const LOCKED = /\b(?:object lock|WORM|immutable)\b/i;

interface ServiceError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/**
 * Maps an error of the service. Administrators may see its message: the client never puts a secret
 * into it.
 */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { name = '', code = '', message = '', $metadata } = (error ?? {}) as ServiceError;
  const problemOf = (): StorageProblem => {
    if (LOCKED.test(message)) return 'retained';
    const known = PROBLEMS[name] ?? BY_STATUS[$metadata?.httpStatusCode ?? 0];
    return known ?? 'unavailable';
  };
  const text =
    message !== '' && message !== 'UnknownError'
      ? `${name}: ${message}`
      : [name, code, $metadata?.httpStatusCode].filter(Boolean).join(' ');
  return new StorageError(problemOf(), text, error);
}
