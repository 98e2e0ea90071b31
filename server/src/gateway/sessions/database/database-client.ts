import type { SweepAct } from '@sallyport/contract';
import type { ExpectedAnswer } from '../../ports/guard.ts';
import type { SessionClient } from '../session-client.ts';
import type { ResultPreview } from './transcript.ts';

/** A question about a statement. */
export interface StatementQuestion {
  readonly message: string;
  readonly seconds: number;
  /**
   * The answer that a rule expects, or a yes: because the statement affects every row, or to what
   * its preview shows.
   */
  readonly expects: ExpectedAnswer | SweepAct | 'preview';
  /** The first affected rows of a previewed statement. */
  readonly preview?: ResultPreview;
  /** Number of affected rows of a previewed statement. */
  readonly affected?: number;
}

export type Answer = 'given' | 'declined' | 'unanswered';

/** The near side of a database session. */
export interface DatabaseClient extends SessionClient {
  /**
   * Asks the user about a statement. Without this method, questions of rules reject the statement
   * and other statements run. Rejects when the user disconnects.
   */
  confirm?(question: StatementQuestion): Promise<Answer>;
  /** Reports that the permission now allows other actions. */
  rightsChanged?(): void;
}

/** The connection to the database, as far as its session closes it. */
export interface DatabaseConnection {
  /** Closes it with all tunnels opened for it. A second call has no effect. */
  close(): void;
}
