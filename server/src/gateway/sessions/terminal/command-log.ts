import type { CommandRecord } from '../../../platform/command-record.ts';
import type { SessionStore } from '../../ports/records.ts';

/** Writes the commands of one session in order. */
export class CommandLog {
  private pending = 0;
  private last: Promise<void> = Promise.resolve();
  private readonly sessionId: string;
  private readonly store: Pick<SessionStore, 'addCommands'>;
  private readonly onFailure: (error: unknown) => void;

  /** `onFailure` must end the session: no command may run unlogged. */
  constructor(
    sessionId: string,
    store: Pick<SessionStore, 'addCommands'>,
    onFailure: (error: unknown) => void,
  ) {
    this.sessionId = sessionId;
    this.store = store;
    this.onFailure = onFailure;
  }

  add(command: CommandRecord): void {
    this.pending++;
    const written = this.store
      .addCommands(this.sessionId, [command])
      .catch((error: unknown) => this.onFailure(error));
    this.last = Promise.all([this.last, written]).then(() => {
      this.pending--;
    });
  }

  /**
   * Settles when all commands so far are durable, or the session ended because one could not be
   * written. Returns undefined if none is pending.
   */
  written(): Promise<void> | undefined {
    return this.pending === 0 ? undefined : this.last;
  }
}
