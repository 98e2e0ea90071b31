import { DatabaseClosed } from './connection.ts';
import { sqlState } from './database.ts';
import { isDatabaseAway } from './open-client.ts';

/** Message of the connection pool on a timeout. The error has no code. */
const POOL_IS_BUSY = 'timeout exceeded when trying to connect';
/** SQLSTATE of a statement that took longer than its timeout. */
const TIMED_OUT = '57014';

/** Returns true if all connections of the pool were busy for too long. */
export const isPoolBusy = (error: unknown): boolean =>
  error instanceof Error && error.message === POOL_IS_BUSY;

/** Returns true if the database gave no answer. False for errors of the program. */
export const isOutage = (error: unknown): boolean =>
  isDatabaseAway(error) ||
  isPoolBusy(error) ||
  error instanceof DatabaseClosed ||
  sqlState(error)?.code === TIMED_OUT;
