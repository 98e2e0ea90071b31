import type { Person } from '../../ports/people.ts';
import type { BrowserTerminal } from './browser-terminal.ts';

/** The web terminals of this process that a browser can come back to. */
export class KeptTerminals {
  private readonly terminals = new Map<string, BrowserTerminal>();

  add(id: string, terminal: BrowserTerminal): void {
    this.terminals.set(id, terminal);
  }

  remove(id: string): void {
    this.terminals.delete(id);
  }

  /** The terminal of a session, for the sign-in that opened it and nobody else. */
  find(id: string, { userId, loginId }: Person): BrowserTerminal | undefined {
    const terminal = this.terminals.get(id);
    const isTheirs = loginId !== undefined && terminal?.person.userId === userId && terminal.person.loginId === loginId;
    return isTheirs ? terminal : undefined;
  }
}
