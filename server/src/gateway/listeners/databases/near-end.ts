import type { Problem } from '@sallyport/contract';
import { Refusal } from '../../refusal.ts';
import type { DatabaseClient } from '../../sessions/database/database-session.ts';

/** The near side of a session that a client of a database uses. Nobody can be asked anything there: what would be asked is refused. */
export class NearEnd implements DatabaseClient {
  private readonly onClosed: (problem: Problem) => void;

  constructor(onClosed: (problem: Problem) => void) {
    this.onClosed = onClosed;
  }

  stage(): void {}

  opened(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('database_manual'));
  }

  closed(problem: Problem): void {
    this.onClosed(problem);
  }
}
