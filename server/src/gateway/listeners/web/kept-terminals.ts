import { MAX_ENDED_TERMINALS } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';

/** The web terminals of this process that a browser can come back to. */
export class KeptTerminals<Terminal extends { readonly person: Person }> {
  private readonly terminals = new Map<string, Terminal>();
  /** Those that ended while nobody was there, the oldest first. */
  private readonly ended = new Map<string, NodeJS.Timeout>();

  add(id: string, terminal: Terminal): void {
    this.terminals.set(id, terminal);
  }

  /** A terminal ended while its browser was away: for some seconds it tells the browser how. */
  end(id: string, seconds: number): void {
    this.ended.set(id, setTimeout(() => this.remove(id), seconds * 1000).unref());
    const [oldest] = this.ended.keys();
    if (this.ended.size > MAX_ENDED_TERMINALS && oldest !== undefined) this.remove(oldest);
  }

  remove(id: string): void {
    clearTimeout(this.ended.get(id));
    this.ended.delete(id);
    this.terminals.delete(id);
  }

  /** The terminal of a session, for the sign-in that opened it and nobody else. */
  find(id: string, { userId, loginId }: Person): Terminal | undefined {
    const terminal = this.terminals.get(id);
    const isTheirs =
      loginId !== undefined &&
      terminal?.person.userId === userId &&
      terminal.person.loginId === loginId;
    return isTheirs ? terminal : undefined;
  }
}
