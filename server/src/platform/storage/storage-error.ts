/** What kept a storage from doing its work. */
export type StorageProblem =
  /** The key is not one that a storage takes: a defect of the caller. */
  | 'invalid_key'
  /** There is no such object. */
  | 'missing'
  /** There is one already. */
  | 'exists'
  /** The range begins behind the end of the object. */
  | 'range'
  /** No space is left. */
  | 'full'
  /** The account of the server may not do this there. */
  | 'refused'
  /** Everything else: the disk or the other server failed. */
  | 'unavailable';

/** The only error that a storage throws; `cause` has what lay beneath it. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageProblem;

  constructor(code: StorageProblem, detail: string, cause?: unknown) {
    super(`storage: ${code.replace('_', ' ')}: ${detail}`, { cause });
    this.code = code;
  }
}
