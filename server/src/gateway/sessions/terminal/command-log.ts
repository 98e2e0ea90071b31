import type { CommandRecord } from '../../../platform/command-record.ts';
import type { SessionStore } from '../../ports/records.ts';
import type { GatewayLog } from '../../ports.ts';

const WRITE_EVERY_MS = 300;
const RETRY_AFTER_MS = 3000;
const MAX_WAITING = 2000;

/** Writes the commands of one session, a few at a time. Of more than wait at `most`, the oldest are lost. */
export class CommandLog {
  private waiting: CommandRecord[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private readonly sessionId: string;
  private readonly store: SessionStore;
  private readonly log: GatewayLog;
  private readonly most: number;
  private hasEnded = false;

  constructor(sessionId: string, store: SessionStore, log: GatewayLog, most = MAX_WAITING) {
    this.sessionId = sessionId;
    this.store = store;
    this.log = log;
    this.most = most;
  }

  /** Takes a command; it is in the store soon after. */
  add(command: CommandRecord): void {
    this.waiting.push(command);
    if (this.waiting.length > this.most) this.waiting.shift();
    this.timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS);
  }

  /** Writes what is waiting; what the store refuses is kept for another try. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.writing) await this.writing;
    if (this.waiting.length === 0) return;
    const batch = this.waiting;
    this.waiting = [];
    const writing = this.store
      .addCommands(this.sessionId, batch)
      .catch((error: unknown) => {
        this.log.error({ session: this.sessionId, commands: batch.length, err: error }, 'commands of a session could not be written');
        this.waiting = [...batch, ...this.waiting];
        this.timer ??= setTimeout(() => void this.flush(), RETRY_AFTER_MS);
      })
      .finally(() => {
        if (this.writing === writing) this.writing = undefined;
      });
    this.writing = writing;
    await writing;
  }

  /** Settles when all commands so far are in the store, or never will be; undefined where none waits. */
  written(): Promise<void> | undefined {
    return this.waiting.length === 0 && !this.writing ? undefined : this.writeAll();
  }

  private async writeAll(): Promise<void> {
    await this.flush();
    while (this.waiting.length > 0 && !this.hasEnded) {
      // The store is away: it is asked again when the next try is due.
      await new Promise((done) => setTimeout(done, RETRY_AFTER_MS));
      await this.writing;
    }
  }

  /** The last try, at the end of the session. */
  async end(): Promise<void> {
    this.hasEnded = true;
    await this.flush();
    if (this.waiting.length > 0) await this.flush();
    clearTimeout(this.timer);
  }
}
