import type { CommandRecord, GatewayLog, SessionStore } from '../../ports.ts';

const WRITE_EVERY_MS = 300;
const RETRY_AFTER_MS = 3000;
const MAX_WAITING = 2000;

/** Writes the commands of one session, a few at a time. */
export class CommandLog {
  private waiting: CommandRecord[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private readonly sessionId: string;
  private readonly store: SessionStore;
  private readonly log: GatewayLog;

  constructor(sessionId: string, store: SessionStore, log: GatewayLog) {
    this.sessionId = sessionId;
    this.store = store;
    this.log = log;
  }

  /** Takes a command; it is in the store soon after. */
  add(command: CommandRecord): void {
    this.waiting.push(command);
    if (this.waiting.length > MAX_WAITING) this.waiting.shift();
    this.timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS);
  }

  /** Writes what is waiting; what the store refuses is kept for another try. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.writing;
    if (this.waiting.length === 0) return;
    const batch = this.waiting;
    this.waiting = [];
    this.writing = this.store.addCommands(this.sessionId, batch).catch((error: unknown) => {
      this.log.error({ session: this.sessionId, commands: batch.length, err: error }, 'commands of a session could not be written');
      this.waiting = [...batch, ...this.waiting];
      this.timer ??= setTimeout(() => void this.flush(), RETRY_AFTER_MS);
    });
    await this.writing;
  }

  /** The last try, at the end of the session. */
  async end(): Promise<void> {
    await this.flush();
    if (this.waiting.length > 0) await this.flush();
    clearTimeout(this.timer);
  }
}
