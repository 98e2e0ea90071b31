import pg from 'pg';
import type { TargetEnd } from '../target-end.ts';
import { endOfError } from './guard-reads.ts';

/**
 * Returns the end of a target by an error outside of a statement. Only errors that end the
 * connection (`FATAL`, `PANIC`) may arrive there; a server writes these words in its language.
 */
export function endOfPostgresql(error: Error): TargetEnd {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
    ? 'broke'
    : endOfError(error);
}
