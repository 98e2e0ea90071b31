import type { BulkChange } from '@sallyport/contract';
import type { Confirmation } from '../../../kit/confirmation.ts';

/** Asks for confirmation, then starts a job that changes all objects of the set. */
export type BeginBulk = (
  change: Pick<BulkChange, 'action' | 'changes' | 'target'>,
  question: Omit<Confirmation, 'run' | 'success'>,
) => void;
