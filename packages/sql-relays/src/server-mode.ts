import type { StatementJournal } from './journal.ts';

/** Statements that set the mode of a server session: character set and access. */
export interface ModeStatements {
  readonly characterSet: string;
  readonly readOnly: string;
  readonly readWrite: string;
  /**
   * Sets UTF-8 for statements and nothing else, and keeps a form of it that the client chose.
   * Missing if the server reports each change of the character set.
   */
  readonly keepUtf8?: string;
  /** Takes back modes of MySQL in which texts mean something else than we read. */
  readonly keepReadable?: string;
}

/** Statements that end a transaction. A running transaction cannot change its mode. */
const ENDS_TRANSACTION = /^\s*(?:commit|rollback)\s*;?\s*$/i;

const hasLetters = (bytes: Buffer): boolean => bytes.some((byte) => byte > 0x7f);

/** Tracks the mode of a server session and the changes required before the next statement. */
export class ServerMode {
  private readonly statements: ModeStatements;
  private readonly journal: Pick<StatementJournal, 'isReadOnly' | 'isRestricted'>;
  private isReadOnly: boolean;
  private isUtf8 = true;
  private isReadable = true;
  /** False if the read-only mode may have been lifted since we set it. */
  private isProven = true;
  /** False if a function may have changed the character set since we set it. */
  private isUtf8Proven = true;

  constructor(
    statements: ModeStatements,
    journal: Pick<StatementJournal, 'isReadOnly' | 'isRestricted'>,
    isReadOnly: boolean,
  ) {
    this.statements = statements;
    this.journal = journal;
    this.isReadOnly = isReadOnly;
  }

  /** Call it after a statement that may have changed the character set. */
  characterSetChanged(): void {
    this.isUtf8 = false;
  }

  /** Call it before a statement that sets the modes of MySQL to an unknown value. */
  modeChanged(): void {
    this.isReadable = false;
  }

  /**
   * Call it for each statement that runs: its functions may lift the read-only mode, or change the
   * character set.
   */
  ran(): void {
    this.isProven = false;
    this.isUtf8Proven = false;
  }

  /**
   * Returns the statement that sets UTF-8 again before bytes that are decided by their text, and
   * assumes that it succeeds. In every character set that MySQL takes, ASCII means the same.
   */
  utf8Proof(bytes: Buffer): string | undefined {
    const { keepUtf8 } = this.statements;
    if (this.isUtf8Proven || !keepUtf8 || !this.journal.isRestricted() || !hasLetters(bytes))
      return undefined;
    this.isUtf8Proven = true;
    return keepUtf8;
  }

  /** True if the read-only mode may have been lifted since it was set. */
  get isUnproven(): boolean {
    return !this.isProven && this.isReadOnly && this.journal.isReadOnly();
  }

  /** True if `utf8Proof` may have a statement. */
  get isUtf8Unproven(): boolean {
    return (
      !this.isUtf8Proven && this.statements.keepUtf8 !== undefined && this.journal.isRestricted()
    );
  }

  /** Returns the statement that sets the read-only mode again, and assumes that it succeeds. */
  proof(): string {
    this.isProven = true;
    return this.statements.readOnly;
  }

  /** Call it after the server has reset the session. */
  wasReset(): void {
    this.isUtf8 = false;
    this.isReadOnly = false;
  }

  /** True if a statement must wait until the `missing` statements have run. */
  get isPending(): boolean {
    return !this.isUtf8 || !this.isReadable || this.isReadOnly !== this.journal.isReadOnly();
  }

  /**
   * Returns true if a statement must be rejected: its transaction may still write although the
   * permission no longer allows it. Only its end may pass.
   */
  refuses(text: string, isInTransaction: boolean): boolean {
    return (
      isInTransaction &&
      this.journal.isReadOnly() &&
      !this.isReadOnly &&
      !(text.length < 100 && ENDS_TRANSACTION.test(text))
    );
  }

  /** Returns the statements to run now, and assumes that they succeed. */
  missing(isInTransaction: boolean): readonly string[] {
    const { characterSet, keepReadable, readOnly, readWrite } = this.statements;
    const mustBeReadOnly = this.journal.isReadOnly();
    const missing = this.isUtf8 ? [] : [characterSet];
    if (!this.isReadable && mustBeReadOnly && keepReadable) missing.push(keepReadable);
    this.isUtf8 = true;
    this.isReadable = true;
    if (isInTransaction || mustBeReadOnly === this.isReadOnly) return missing;
    this.isProven = true;
    this.isReadOnly = mustBeReadOnly;
    return [...missing, mustBeReadOnly ? readOnly : readWrite];
  }
}
