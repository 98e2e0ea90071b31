/** Statements that one session may have prepared, and bytes of their texts. */
const MAX_PREPARED = 10_000;
const MAX_PREPARED_BYTES = 32 * 1024 * 1024;
const MAX_PORTALS = 10_000;
/** Messages of a client that wait for an answer. */
export const MAX_OUTSTANDING = 20_000;

/** Something that a server answers, in order. */
export interface Step {
  readonly kind: 'parse' | 'bind' | 'describe' | 'execute' | 'close' | 'sync' | 'query';
  /** Why the bastion has sent something in its place that fails: the error that the client gets. */
  readonly refusal?: string | undefined;
  /** Of `parse`: the name and the text; of `bind` and `execute`: the portal. */
  readonly name?: string;
  readonly text?: string;
  readonly portal?: Portal | undefined;
  /** Of `close`: what is closed. */
  readonly closes?: 'S' | 'P';
  /** Of `query`: it is a statement of the bastion. */
  readonly isOwn?: boolean;
  /** Of `query`: the statements that are not over yet. */
  readonly statements?: string[];
}

/** A statement with its parameters, on its way or being read. */
export interface Portal {
  readonly statement: string;
  rows: number;
  began: number;
  /** Whether it has run, and was recorded. */
  hasRun: boolean;
  isRecorded: boolean;
}

/**
 * Knows what a PostgreSQL server has still to answer, and what prepared statements and portals mean. A server answers in order; after an error it skips
 * everything up to the next Sync.
 */
export class Pipeline {
  private readonly steps: Step[] = [];
  private readonly prepared = new Map<string, string>();
  private preparedBytes = 0;
  private readonly portals = new Map<string, Portal>();
  /** The server skips what comes, up to the next Sync. */
  private isSkipping = false;
  /** The server reads copied data and takes no notice of Sync. */
  isCopyingIn = false;

  /** What is answered next. */
  get head(): Step | undefined {
    return this.steps[0];
  }

  get length(): number {
    return this.steps.length;
  }

  /** Returns true if the server has a statement to answer, which may turn out to copy data in. */
  get awaitsStatement(): boolean {
    return this.steps.some(({ kind }) => kind === 'query' || kind === 'execute');
  }

  /** Whether the server is ready for the next statement after what it was sent: no batch is open. */
  get isAtEnd(): boolean {
    const last = this.steps.at(-1)?.kind;
    return last === undefined || last === 'sync' || last === 'query';
  }

  /** A message goes to the server. */
  push(step: Step): void {
    if (step.kind === 'sync') {
      if (this.isCopyingIn) return;
      this.isSkipping = false;
    } else if (this.isSkipping) return;
    this.steps.push(step);
  }

  /** The next answer is complete. */
  pop(): Step | undefined {
    const step = this.steps.shift();
    if (step?.kind === 'parse') this.keep(step.name ?? '', step.text ?? '');
    else if (step?.kind === 'bind' && step.portal) this.portals.set(step.name ?? '', step.portal);
    else if (step?.kind === 'close' && step.closes === 'S') this.forget(step.name ?? '');
    return step;
  }

  /** The next answer is an error. Returns what failed. */
  fail(): Step | undefined {
    const [failed] = this.steps;
    this.isCopyingIn = false;
    if (failed?.kind === 'query' || failed?.kind === 'sync') return failed;
    const next = this.steps.findIndex(({ kind }) => kind === 'sync');
    this.steps.splice(0, next < 0 ? this.steps.length : next);
    this.isSkipping = next < 0;
    return failed;
  }

  /** The server is ready for the next statement. Returns the portals that are gone with their transaction. */
  ready(status: string): readonly Portal[] {
    const next = this.steps.findIndex(({ kind }) => kind === 'sync' || kind === 'query');
    if (next >= 0) this.steps.splice(0, next + 1);
    this.isCopyingIn = false;
    return status === 'T' ? [] : this.takePortals();
  }

  /** The server reads copied data now: it takes no notice of a Sync that came already. */
  beginCopyIn(): void {
    this.isCopyingIn = true;
    for (let at = this.steps.length - 1; at > 0; at--)
      if (this.steps[at]?.kind === 'sync') this.steps.splice(at, 1);
  }

  /** The text of a prepared statement, as it will be when the server comes to it; nothing for one that was not prepared by a message. */
  textOf(name: string): string | undefined {
    const pending = this.steps.findLast(
      (step) =>
        (step.kind === 'parse' || (step.kind === 'close' && step.closes === 'S')) &&
        step.name === name,
    );
    return pending ? pending.text : this.prepared.get(name);
  }

  /** The portal of a name, as it will be when the server comes to it. */
  portalOf(name: string): Portal | undefined {
    return (
      this.steps.findLast((step) => step.kind === 'bind' && step.name === name)?.portal ??
      this.portals.get(name)
    );
  }

  /** A portal is gone, or gets another meaning. Returns it. */
  takePortal(name: string): Portal | undefined {
    const portal = this.portals.get(name);
    this.portals.delete(name);
    return portal;
  }

  /** All portals are gone. */
  takePortals(): readonly Portal[] {
    const gone = [...this.portals.values()];
    this.portals.clear();
    return gone;
  }

  /** Names may have got another meaning by a statement. */
  forgetNames(): void {
    this.prepared.clear();
    this.preparedBytes = 0;
  }

  /** Whether more may be prepared, bound and sent. */
  get hasRoom(): boolean {
    return (
      this.prepared.size < MAX_PREPARED &&
      this.preparedBytes < MAX_PREPARED_BYTES &&
      this.portals.size < MAX_PORTALS &&
      this.steps.length < MAX_OUTSTANDING
    );
  }

  private keep(name: string, text: string): void {
    this.forget(name);
    this.prepared.set(name, text);
    this.preparedBytes += text.length;
  }

  private forget(name: string): void {
    this.preparedBytes -= this.prepared.get(name)?.length ?? 0;
    this.prepared.delete(name);
  }
}
