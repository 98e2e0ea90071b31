/** Problems of a storage. */
export type StorageProblem =
  /** The key is invalid: a defect of the caller. */
  | 'invalid_key'
  /** The object does not exist. */
  | 'missing'
  /** The object exists already. */
  | 'exists'
  /** The range starts after the end of the object. */
  | 'range'
  /** The disk or quota is full. */
  | 'full'
  /** The account of the server lacks the permission. */
  | 'refused'
  /** Any other failure of the disk or the other server. */
  | 'unavailable';

/** The only error that a storage throws; `cause` is the original error. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageProblem;

  constructor(code: StorageProblem, detail: string, cause?: unknown) {
    super(`storage: ${code.replace('_', ' ')}: ${detail}`, { cause });
    this.code = code;
  }
}
