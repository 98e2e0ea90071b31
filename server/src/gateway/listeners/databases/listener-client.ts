import type { Problem } from '@sallyport/contract';
import { Refusal } from '../../refusal.ts';
import type { DatabaseClient } from '../../sessions/database/database-client.ts';

/**
 * The client side of a session from a database client program. It cannot ask the user, so it
 * rejects all questions.
 */
export class ListenerClient implements DatabaseClient {
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
