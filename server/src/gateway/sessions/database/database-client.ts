import type { SweepAct } from '@sallyport/contract';
import type { SessionClient } from '../session-client.ts';

/** The near side of a database session. */
export interface DatabaseClient extends SessionClient {
  /**
   * Asks the user to confirm a statement, with a filter's message or, given `act`, because it
   * affects every row. Without this method, filter questions reject the statement and other
   * statements run. Rejects when the user disconnects.
   */
  confirm?(message: string, seconds: number, act?: SweepAct): Promise<boolean>;
  /** Reports that the permission now allows other actions. */
  rightsChanged?(): void;
}

/** The connection to the database, as far as its session closes it. */
export interface DatabaseConnection {
  /** Closes it with all tunnels opened for it. A second call has no effect. */
  close(): void;
}
