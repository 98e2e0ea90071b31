import type { StatementJournal } from './journal.ts';

/** Statements that set what a session may do at the database, and that it reads texts as UTF-8. */
export interface ModeStatements {
  readonly characterSet: string;
  readonly readOnly: string;
  readonly readWrite: string;
}

/** Statements that end a transaction, whose mode cannot be changed while it runs. */
const ENDS = /^\s*(?:commit|rollback)\s*;?\s*$/i;

/** Knows what the session at the server was set to, and what it has to be set to before the next statement of the client. */
export class ServerMode {
  private readonly statements: ModeStatements;
  private readonly journal: Pick<StatementJournal, 'isReadOnly'>;
  private isReadOnly: boolean;
  private isUtf8 = true;

  constructor(
    statements: ModeStatements,
    journal: Pick<StatementJournal, 'isReadOnly'>,
    isReadOnly: boolean,
  ) {
    this.statements = statements;
    this.journal = journal;
    this.isReadOnly = isReadOnly;
  }

  /** A statement of the client may have changed the character set. */
  characterSetChanged(): void {
    this.isUtf8 = false;
  }

  /** The server has forgotten everything that the session was set to. */
  wasReset(): void {
    this.isUtf8 = false;
    this.isReadOnly = false;
  }

  /** Whether a statement has to wait until `missing` has run. */
  get isPending(): boolean {
    return !this.isUtf8 || this.isReadOnly !== this.journal.isReadOnly();
  }

  /** Whether a running transaction may still write although the permission does not: only its end may pass. */
  refuses(text: string, isInTransaction: boolean): boolean {
    return (
      isInTransaction &&
      this.journal.isReadOnly() &&
      !this.isReadOnly &&
      !(text.length < 100 && ENDS.test(text))
    );
  }

  /** What to run at the server now. It counts as run. */
  missing(isInTransaction: boolean): readonly string[] {
    const { characterSet, readOnly, readWrite } = this.statements;
    const wanted = this.journal.isReadOnly();
    const found = this.isUtf8 ? [] : [characterSet];
    this.isUtf8 = true;
    if (isInTransaction || wanted === this.isReadOnly) return found;
    this.isReadOnly = wanted;
    return [...found, wanted ? readOnly : readWrite];
  }
}
