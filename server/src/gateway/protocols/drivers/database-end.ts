import pg from 'pg';
import { peerWords } from '../../peer-words.ts';
import type { TargetEnd } from '../target-end.ts';
import { endOfError, Flood } from './guard-reads.ts';
import { EndAnnounced } from './mysql-guard.ts';
import { codeOf } from './server-errors.ts';

/** The end of a database; `message` has number and words of a server that gave a reason. */
export interface DatabaseEnd {
  readonly how: TargetEnd;
  readonly message?: string;
}

/**
 * Returns the end of a target by an error outside of a statement. Only errors that end the
 * connection (`FATAL`, `PANIC`) may arrive there; a server writes these words in its language.
 */
export function endOfPostgresql(error: Error, secret?: string): DatabaseEnd {
  if (!(error instanceof pg.DatabaseError)) return { how: endOfError(error) };
  if (error.severity === 'ERROR') return { how: 'broke' };
  const code = codeOf(error.code ?? '');
  return { how: 'disconnected', message: `${code} ${peerWords(error.message, secret)}`.trim() };
}

/**
 * Returns the end of a target by an error outside of a statement. Errors of the driver besides
 * those of stream and server are about the bytes that it read.
 */
export function endOfMysql(error: Error, secret?: string): DatabaseEnd {
  // MySQL 8.0.24 and later at its `wait_timeout` (4031), and servers that shut down (1053).
  if (error instanceof EndAnnounced)
    return {
      how: 'disconnected',
      message: `${error.answer.code} ${peerWords(error.answer.message, secret)}`.trim(),
    };
  const code = 'code' in error ? error.code : '';
  if ('syscall' in error || code === 'PROTOCOL_CONNECTION_LOST') return { how: 'lost' };
  return { how: error instanceof Flood ? 'flooded' : 'broke' };
}
