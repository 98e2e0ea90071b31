import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, signedIn } from './http.ts';
import type { Random } from './random.ts';
import { BastionTerminal } from './terminal.ts';

/** A command whose output a person has seen. */
export interface Kept {
  readonly session: string;
  readonly mark: string;
  readonly shownAt: number;
}

export interface PersonParts {
  readonly url: string;
  readonly token: string;
  readonly ids: { readonly asset: string; readonly system_user: string };
  readonly random: Random;
}

const PAGES = [
  'perms/users/assets/?limit=15',
  'perms/users/nodes/children/tree/',
  'users/profile/',
  'terminal/snippets/?limit=15',
];
/** Between two things that a person does. */
const PAUSE_MS = { least: 2_000, most: 4_000 };
const MOST_TRIES = 60;
const AGAIN_MS = 500;
const SHOWN_MS = 30_000;

/**
 * A user with pages and one terminal, who continues after a broken connection as the console does.
 */
export class BenchPerson {
  readonly times: number[] = [];
  readonly failures: string[] = [];
  /** Changes that the server has confirmed, by id. */
  readonly changes: string[] = [];
  readonly kept: Kept[] = [];
  /** Sessions that ended while the person worked in them. */
  readonly lost = new Set<string>();
  /** Milliseconds from the kill until a new terminal was open. */
  readonly reopened: number[] = [];
  repeated = 0;
  wasSignedOut = false;
  private readonly parts: PersonParts;
  private client: Client | undefined;
  private terminal: BastionTerminal | undefined;
  private killedAt: number | undefined;
  private isLeaving = false;
  private done = 0;

  constructor(parts: PersonParts) {
    this.parts = parts;
  }

  /** Opens a terminal, and retries while no server answers. */
  async open(): Promise<void> {
    const { url, token, ids } = this.parts;
    for (let attempt = 1; ; attempt++) {
      try {
        const terminal = await BastionTerminal.open(url, token, ids);
        this.terminal = terminal;
        void terminal.closed.then(() => {
          if (!this.isLeaving) this.lost.add(terminal.session);
          if (this.terminal === terminal) this.terminal = undefined;
        });
        return;
      } catch (error) {
        if (attempt >= MOST_TRIES) throw error;
        await sleep(AGAIN_MS);
      }
    }
  }

  /** The first server was killed at this moment. */
  noteKill(at: number): void {
    this.killedAt = at;
  }

  /** Opens pages, changes a row and types, until `end`. */
  async work(end: number): Promise<void> {
    const { random } = this.parts;
    await sleep(random.below(PAUSE_MS.most));
    while (performance.now() < end) {
      if (!this.terminal) await this.reopen();
      this.done++;
      if (this.done % 3 === 0) await this.type();
      else if (this.done % 7 === 0) await this.change();
      else await this.look();
      await sleep(PAUSE_MS.least + random.below(PAUSE_MS.most - PAUSE_MS.least));
    }
  }

  async leave(): Promise<void> {
    this.isLeaving = true;
    this.client?.close();
    await this.terminal?.close();
    this.terminal = undefined;
  }

  private async reopen(): Promise<void> {
    await this.open();
    if (this.killedAt !== undefined) this.reopened.push(performance.now() - this.killedAt);
  }

  private async look(): Promise<void> {
    const page = this.parts.random.of(PAGES);
    const milliseconds = await this.ask(async (client) => (await client.timed(page)).milliseconds);
    if (milliseconds !== undefined) this.times.push(milliseconds);
  }

  private async change(): Promise<void> {
    const snippet = await this.ask((client) =>
      client.post<{ id: string }>('terminal/snippets/', {
        name: `snippet ${this.done}`,
        content: 'uptime',
      }),
    );
    if (snippet) this.changes.push(snippet.id);
  }

  /** A request that breaks off is sent again, on a new connection. */
  private async ask<Answer>(
    work: (client: Client) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.client ??= await signedIn(this.parts.url, this.parts.token);
        return await work(this.client);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (/answered 401/.test(reason)) this.wasSignedOut = true;
        // Answers of a proxy that has not yet noticed that a server is down.
        const isBroken = !reason.includes(' answered ') || /answered 50[234]/.test(reason);
        if (!isBroken || attempt >= MOST_TRIES) {
          this.failures.push(reason.slice(0, 200));
          return undefined;
        }
        this.repeated++;
        this.client?.close();
        this.client = undefined;
        await sleep(AGAIN_MS);
      }
    }
  }

  private async type(): Promise<void> {
    const { terminal } = this;
    if (!terminal) return;
    const number = `${this.done}x${this.parts.random.below(1_000_000)}`;
    const mark = `mark-${number}-end`;
    let output = '';
    const seen = new Promise<boolean>((done) => {
      terminal.onOutput = (bytes) => {
        output = `${output}${bytes.toString('latin1')}`.slice(-4096);
        if (output.includes(mark)) done(true);
      };
      void terminal.closed.then(() => done(false));
    });
    // The terminal echoes the typed line, so the shell joins the mark.
    terminal.type(`echo mark-"${number}"-end\r`);
    const late = new AbortController();
    const wasSeen = await Promise.race([
      seen,
      sleep(SHOWN_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    if (wasSeen) this.kept.push({ session: terminal.session, mark, shownAt: performance.now() });
    else if (wasSeen === undefined) this.failures.push('a command was not answered in 30 seconds');
  }
}
