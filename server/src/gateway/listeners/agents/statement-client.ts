import type { DatabaseServerMessage, Problem } from '@sallyport/contract';
import { Refusal } from '../../refusal.ts';
import type {
  Answer,
  DatabaseClient,
  StatementQuestion,
} from '../../sessions/database/database-client.ts';
import type { Row } from '../../sessions/database/result-spool.ts';

/** The words for a statement without the result that was asked for. */
export interface StatementOutcome {
  readonly state: 'done' | 'refused' | 'failed';
  readonly detail: string;
}

/**
 * The near side of one statement of an agent: it collects the answer. It agrees to a change of rows
 * if the agent named enough of them, and to no other question.
 */
export class StatementClient implements DatabaseClient {
  /** The reason for which the session ended early. */
  problem: Problem | undefined;
  /** The first result of the statement. */
  result: number | undefined;
  columns: readonly string[] = [];
  rows: readonly Row[] = [];
  /** Number of rows that the database returned or changed. */
  total: number | undefined;
  /** The database's own words about a failure. */
  errors = '';
  outcome: StatementOutcome | undefined;
  /** True once the database has the statement. */
  hasRun = false;
  isCut = false;
  private readonly changes: number | undefined;

  /** `changes`: rows that an UPDATE or DELETE may affect; undefined for a preview alone. */
  constructor(changes: number | undefined) {
    this.changes = changes;
  }

  stage(): void {}

  opened(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('agent_login'));
  }

  async confirm({ message, expects, preview, affected }: StatementQuestion): Promise<Answer> {
    if (expects !== 'preview' || affected === undefined) {
      this.outcome = { state: 'refused', detail: `${message}\nAn agent cannot confirm this.` };
      return 'unanswered';
    }
    if (this.changes !== undefined && affected <= this.changes) return 'given';
    this.columns = preview?.columns ?? [];
    this.rows = preview?.rows ?? [];
    this.isCut = affected > this.rows.length;
    const again = `Nothing was changed. To run it, call again with changes: ${affected}.`;
    this.outcome = {
      state: this.changes === undefined ? 'done' : 'refused',
      detail: `The statement affects ${affected} rows. ${again}`,
    };
    return 'declined';
  }

  closed(problem: Problem): void {
    if (problem.code !== 'session_finished') this.problem = problem;
  }

  /** Takes a message of the runner. */
  take(message: DatabaseServerMessage): void {
    switch (message.type) {
      case 'statement':
        this.hasRun = true;
        break;
      case 'result':
        this.result ??= message.result;
        if (message.result === this.result) this.columns = message.columns.map(({ name }) => name);
        break;
      case 'rows':
        this.rows = message.rows;
        break;
      case 'answered':
        this.total ??= message.rows ?? undefined;
        this.isCut ||= message.is_cut;
        break;
      case 'failed':
        // A declined preview has its own words.
        if (message.is_refused) this.outcome ??= { state: 'refused', detail: message.message };
        else {
          this.outcome = { state: 'failed', detail: 'The database refused the statement.' };
          this.errors = message.message;
        }
    }
  }
}
