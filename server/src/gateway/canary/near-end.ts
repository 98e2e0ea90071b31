import type { Problem } from '@sallyport/contract';
import { Refusal } from '../refusal.ts';
import type {
  TerminalSession,
  TerminalSessionClient,
} from '../sessions/terminal/terminal-session.ts';

/** The refusal of a run that takes too long. */
export const outOfTime = (): Refusal => new Refusal('connect_timeout', { host: 'canary' });

/** Output that is remembered; the shell of the canary writes much less. */
const MOST_OUTPUT = 16_384;

/** The near end of a session of the canary: it reads what a user would see. */
export class NearEnd implements TerminalSessionClient {
  private text = '';
  private problem: Problem | undefined;
  private unconfirmed = 0;
  private session: TerminalSession | undefined;
  private changed: () => void = () => undefined;
  private readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener('abort', () => this.changed());
  }

  /** Takes the open session; what came before is confirmed to it. */
  attach(session: TerminalSession): void {
    this.session = session;
    this.confirm(0);
  }

  /** Waits until the output contains a text. @throws Refusal when the session ends before, or the time is over */
  async sees(wanted: string): Promise<void> {
    while (!this.text.includes(wanted)) {
      if (this.signal.aborted) throw outOfTime();
      if (this.problem) throw new Refusal(this.problem.code, this.problem.params);
      await new Promise<void>((done) => {
        this.changed = done;
      });
    }
  }

  stage(): void {}
  opened(): void {}
  holdInput(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('connect_credentials'));
  }

  output(chunk: Buffer): void {
    this.text = (this.text + chunk.toString('latin1')).slice(-MOST_OUTPUT);
    this.confirm(chunk.length);
    this.changed();
  }

  closed(problem: Problem): void {
    this.problem = problem;
    this.changed();
  }

  private confirm(bytes: number): void {
    this.unconfirmed += bytes;
    if (!this.session || this.unconfirmed === 0) return;
    const seen = this.unconfirmed;
    this.unconfirmed = 0;
    // Not inside of the call that brought it: a client confirms what it was given before.
    queueMicrotask(() => this.session?.acknowledge(seen));
  }
}
