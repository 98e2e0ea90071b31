import { MAX_ENDED_TERMINALS } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';

/** Web terminals of this process to which a browser can return. */
export class KeptTerminals<Terminal extends { readonly person: Person }> {
  private readonly terminals = new Map<string, Terminal>();
  /** Terminals that ended while their browser was away, oldest first. */
  private readonly ended = new Map<string, NodeJS.Timeout>();

  add(id: string, terminal: Terminal): void {
    this.terminals.set(id, terminal);
  }

  /** Keeps an ended terminal for some seconds, so that its browser learns the reason. */
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

  /** Returns the terminal of a session, if this sign-in opened it. */
  find(id: string, { userId, loginId }: Person): Terminal | undefined {
    const terminal = this.terminals.get(id);
    const isTheirs =
      loginId !== undefined &&
      terminal?.person.userId === userId &&
      terminal.person.loginId === loginId;
    return isTheirs ? terminal : undefined;
  }
}
