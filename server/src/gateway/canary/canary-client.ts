import type { Problem } from '@sallyport/contract';
import { Refusal } from '../refusal.ts';
import type { TerminalSessionClient } from '../sessions/terminal/terminal-client.ts';
import type { TerminalSession } from '../sessions/terminal/terminal-session.ts';

/** The refusal of a run that exceeds its time limit. */
export const outOfTime = (): Refusal => new Refusal('connect_timeout', { host: 'canary' });

/** Maximum output kept; the canary's shell writes much less. */
const MAX_OUTPUT = 16_384;

/** The client of a canary session. It reads what a user would see. */
export class CanaryClient implements TerminalSessionClient {
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

  /** Sets the open session and acknowledges its earlier output. */
  attach(session: TerminalSession): void {
    this.session = session;
    this.confirm(0);
  }

  /**
   * Waits until the output contains a text. @throws Refusal when the session ends or time runs out
   */
  async sees(expected: string): Promise<void> {
    while (!this.text.includes(expected)) {
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
    this.text = (this.text + chunk.toString('latin1')).slice(-MAX_OUTPUT);
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
    // Acknowledge after the call that delivered the output, as real clients do.
    queueMicrotask(() => this.session?.acknowledge(seen));
  }
}
