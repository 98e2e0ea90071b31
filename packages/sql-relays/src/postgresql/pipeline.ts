/** Maximum prepared statements per session, and bytes of their texts. */
const MAX_PREPARED = 10_000;
const MAX_PREPARED_BYTES = 32 * 1024 * 1024;
const MAX_PORTALS = 10_000;
/** Maximum unanswered messages of a client. */
export const MAX_OUTSTANDING = 20_000;

/** A message that the server answers in order. */
export interface Step {
  readonly kind: 'parse' | 'bind' | 'describe' | 'execute' | 'close' | 'sync' | 'query';
  /** Set if we sent a failing message in place of a rejected one: the error for the client. */
  readonly refusal?: string | undefined;
  /** `parse`: name and text; `bind` and `execute`: portal. */
  readonly name?: string;
  readonly text?: string;
  readonly portal?: Portal | undefined;
  /** `close`: a statement or a portal. */
  readonly closes?: 'S' | 'P';
  /** `query`: true for our own statements. */
  readonly isOwn?: boolean;
  /** Takes the first value of each row, if `isOwn`. */
  readonly onValue?: (value: string | null | undefined) => void;
  /** `query`: statements that have not finished. */
  readonly statements?: string[];
  /** `query`: true once the last statement is in the log. */
  isRecorded?: boolean;
}

/** A statement with its parameters. */
export interface Portal {
  readonly statement: string;
  rows: number;
  began: number;
  /** True once it ran, and once it was logged. */
  hasRun: boolean;
  isRecorded: boolean;
}

/**
 * Tracks unanswered messages, prepared statements and portals. A PostgreSQL server answers in
 * order. After an error it skips all messages up to the next Sync.
 */
export class Pipeline {
  private readonly steps: Step[] = [];
  private readonly prepared = new Map<string, string>();
  private preparedBytes = 0;
  private readonly portals = new Map<string, Portal>();
  /** True after a failed or refused message: the session skips all up to the next Sync. */
  isSkipping = false;
  /** True while the server reads copied data and ignores Sync. */
  isCopyingIn = false;

  /** The step that is answered next. */
  get head(): Step | undefined {
    return this.steps[0];
  }

  get length(): number {
    return this.steps.length;
  }

  /** Returns true if the server has a statement to answer, which may turn out to be a copy. */
  get awaitsStatement(): boolean {
    return this.steps.some(({ kind }) => kind === 'query' || kind === 'execute');
  }

  /**
   * True if no batch is open: the server can take the next statement after its pending messages.
   */
  get isAtEnd(): boolean {
    const last = this.steps.at(-1)?.kind;
    return last === undefined || last === 'sync' || last === 'query';
  }

  /** Adds a message for the server. */
  push(step: Step): void {
    if (step.kind === 'sync') {
      if (this.isCopyingIn) return;
      this.isSkipping = false;
    } else if (this.isSkipping) return;
    this.steps.push(step);
  }

  /** Completes the next step. */
  pop(): Step | undefined {
    const step = this.steps.shift();
    if (step?.kind === 'parse') this.keep(step.name ?? '', step.text ?? '');
    else if (step?.kind === 'bind' && step.portal) this.portals.set(step.name ?? '', step.portal);
    else if (step?.kind === 'close' && step.closes === 'S') this.forget(step.name ?? '');
    return step;
  }

  /** Handles an error as the next answer. Returns the failed step. */
  fail(): Step | undefined {
    const [failed] = this.steps;
    this.isCopyingIn = false;
    if (failed?.kind === 'query' || failed?.kind === 'sync') return failed;
    const next = this.steps.findIndex(({ kind }) => kind === 'sync');
    this.steps.splice(0, next < 0 ? this.steps.length : next);
    this.isSkipping = next < 0;
    return failed;
  }

  /** Handles ReadyForQuery. Returns the portals that ended with their transaction. */
  ready(status: string): readonly Portal[] {
    const next = this.steps.findIndex(({ kind }) => kind === 'sync' || kind === 'query');
    if (next >= 0) this.steps.splice(0, next + 1);
    this.isCopyingIn = false;
    return status === 'T' ? [] : this.takePortals();
  }

  /** Starts a copy to the server, which ignores a Sync that is already pending. */
  beginCopyIn(): void {
    this.isCopyingIn = true;
    for (let at = this.steps.length - 1; at > 0; at--)
      if (this.steps[at]?.kind === 'sync') this.steps.splice(at, 1);
  }

  /**
   * Returns the text of a prepared statement after all pending messages; undefined if no message
   * prepared it.
   */
  textOf(name: string): string | undefined {
    const pending = this.steps.findLast(
      (step) =>
        (step.kind === 'parse' || (step.kind === 'close' && step.closes === 'S')) &&
        step.name === name,
    );
    return pending ? pending.text : this.prepared.get(name);
  }

  /** Returns a portal after all pending messages. */
  portalOf(name: string): Portal | undefined {
    return (
      this.steps.findLast((step) => step.kind === 'bind' && step.name === name)?.portal ??
      this.portals.get(name)
    );
  }

  /** Removes a portal that is closed or redefined, and returns it. */
  takePortal(name: string): Portal | undefined {
    const portal = this.portals.get(name);
    this.portals.delete(name);
    return portal;
  }

  /** Removes all steps. Returns those whose statements the server got and has not answered. */
  takeUnanswered(): readonly Step[] {
    return this.steps
      .splice(0)
      .filter(
        ({ kind, isOwn, refusal, isRecorded }) =>
          (kind === 'query' || kind === 'execute') &&
          !isOwn &&
          refusal === undefined &&
          !isRecorded,
      );
  }

  takePortals(): readonly Portal[] {
    const portals = [...this.portals.values()];
    this.portals.clear();
    return portals;
  }

  /** Forgets prepared statements, because an SQL statement may have redefined them. */
  forgetNames(): void {
    this.prepared.clear();
    this.preparedBytes = 0;
  }

  /** True if the client may prepare, bind and send more. */
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
