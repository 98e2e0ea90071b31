import type { StatementJournal } from '../journal.ts';
import { Copies } from './copies.ts';
import { type FunctionCall, LargeObjects } from './large-objects.ts';
import { Pipeline } from './pipeline.ts';
import { StatementRecord } from './statement-record.ts';

/** SQLSTATE: insufficient_privilege, program_limit_exceeded. */
export const DENIED = '42501';
export const TOO_LONG = '54000';

/** The state that both directions of a relay share. */
export class Exchange {
  readonly pipeline = new Pipeline();
  readonly copies: Copies;
  readonly objects: LargeObjects;
  readonly record: StatementRecord;
  /** Status of the last ReadyForQuery: I, T or E. */
  status = 'I';
  /** True after a failed copy: the client may still send its data. */
  isCopyDropped = false;
  /** The function call being answered; clients send one at a time. */
  call: FunctionCall | undefined;
  /** True after a too long message, until the client got its error. */
  tooLong = false;
  private wakeWaiting: () => void = () => undefined;

  constructor(journal: StatementJournal) {
    this.copies = new Copies(journal);
    this.objects = new LargeObjects(journal);
    this.record = new StatementRecord(journal);
  }

  /** Settles at the next server answer that may settle a pending copy or end a batch. */
  async settled(): Promise<void> {
    await new Promise<void>((done) => {
      this.wakeWaiting = done;
    });
  }

  /** Lets a waiting message check the state again. */
  wake(): void {
    this.wakeWaiting();
  }
}
