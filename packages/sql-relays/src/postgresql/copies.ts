import type { FileTransfer, StatementJournal } from '../journal.ts';

/**
 * The copies of one session, `COPY … FROM STDIN` and `COPY … TO STDOUT`: checks rights and logs
 * files.
 */
export class Copies {
  private readonly journal: StatementJournal;
  private running: FileTransfer | undefined;
  private refusal: string | undefined;

  constructor(journal: StatementJournal) {
    this.journal = journal;
  }

  /** True while a result that the user may not save is being copied: its data is dropped. */
  get isDropped(): boolean {
    return this.refusal !== undefined;
  }

  /**
   * Rejects a copy early, by the text of its statement. Hidden copies are rejected when the server
   * starts them.
   */
  refusalOf(text: string): string | undefined {
    const { journal } = this;
    if (!/\bcopy\b/i.test(text)) return undefined;
    if (!journal.mayUpload() && /\bfrom\s+stdin\b/i.test(text))
      return journal.refuseTransfer('upload', text, text);
    if (!journal.mayDownload() && /\bto\s+stdout\b/i.test(text))
      return journal.refuseTransfer('download', text, text);
    return undefined;
  }

  /** Handles the start of a copy to the server. Returns the refusal, if any. */
  beginIn(statement: string): string | undefined {
    const { journal } = this;
    if (!journal.mayUpload()) return journal.refuseTransfer('upload', statement);
    this.running = journal.transfer('upload', statement);
    return undefined;
  }

  /** Handles the start of a copy from the server. */
  beginOut(statement: string): void {
    const { journal } = this;
    if (journal.mayDownload()) this.running = journal.transfer('download', statement);
    else this.refusal = journal.refuseTransfer('download', statement);
  }

  add(bytes: number): void {
    this.running?.add(bytes);
  }

  /**
   * Ends the copy of a statement, if it was one. Returns the refusal for which its data was
   * dropped.
   */
  end(isWhole: boolean): string | undefined {
    const { refusal } = this;
    this.running?.end(isWhole ? undefined : 'file_incomplete');
    this.running = undefined;
    this.refusal = undefined;
    return refusal;
  }
}
