import type { ErrorCode } from '@sallyport/contract';

/** Changes with which an administrator could act as a colleague. */
const TAKES_OVER: ReadonlySet<string> = new Set([
  'username',
  'email',
  'source',
  'password',
  'public_key',
  'mfa_level',
  'factors',
]);

export interface Operating {
  /** True for commands on the machine of the server. */
  readonly isOperator?: boolean;
}

export interface Controlled {
  /**
   * True for administrators and auditors, also of an organization, while the default organization
   * controls changes.
   */
  readonly isControlled?: boolean;
}

/**
 * Returns why change control refuses a change to another account: the second administrator must be
 * a second person.
 */
export const refusalByControl = (
  { isOperator }: Operating,
  { isControlled }: Controlled,
  change: string,
): ErrorCode | undefined =>
  isControlled && !isOperator && TAKES_OVER.has(change) ? 'controlled_colleague' : undefined;
