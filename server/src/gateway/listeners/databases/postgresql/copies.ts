import type { FileTransfer } from '../../../sessions/file-transfers.ts';
import type { StatementJournal } from '../journal.ts';

/** The copies of one session, `COPY … FROM STDIN` and `COPY … TO STDOUT`: their rights, and their entries in the log of files. */
export class Copies {
  private readonly journal: StatementJournal;
  private running: FileTransfer | undefined;
  private refusal: string | undefined;

  constructor(journal: StatementJournal) {
    this.journal = journal;
  }

  /** A copy of results runs that nobody may have: its data is not passed on. */
  get isDropped(): boolean {
    return this.refusal !== undefined;
  }

  /** Refuses a copy early, where its text says what it is; what a text hides is refused when the server begins to copy. */
  refusalOf(text: string): string | undefined {
    const { journal } = this;
    if (!/\bcopy\b/i.test(text)) return undefined;
    if (!journal.mayUpload() && /\bfrom\s+stdin\b/i.test(text))
      return journal.refuseTransfer('upload', text, text);
    if (!journal.mayDownload() && /\bto\s+stdout\b/i.test(text))
      return journal.refuseTransfer('download', text, text);
    return undefined;
  }

  /** The server reads copied data now. Returns why that may not be. */
  beginIn(statement: string): string | undefined {
    const { journal } = this;
    if (!journal.mayUpload()) return journal.refuseTransfer('upload', statement);
    this.running = journal.transfer('upload', statement);
    return undefined;
  }

  /** The server sends copied data now. */
  beginOut(statement: string): void {
    const { journal } = this;
    if (journal.mayDownload()) this.running = journal.transfer('download', statement);
    else this.refusal = journal.refuseTransfer('download', statement);
  }

  /** Copied data passes. */
  add(bytes: number): void {
    this.running?.add(bytes);
  }

  /** The statement that may have been a copy is over. Returns why its data was not passed on. */
  end(isWhole: boolean): string | undefined {
    const { refusal } = this;
    this.running?.end(isWhole ? undefined : 'file_incomplete');
    this.running = undefined;
    this.refusal = undefined;
    return refusal;
  }
}
