import type { Duplex } from 'node:stream';
import { BodyReader } from '../byte-reader.ts';
import type { StatementJournal } from '../journal.ts';
import type { RelayStreams } from '../relay-streams.ts';
import { type ModeStatements, ServerMode } from '../server-mode.ts';
import type { Exchange } from './exchange.ts';
import { message, ownStatement } from './messages.ts';
import { POSTGRES_PROCESS } from './target.ts';

/** Statements that set the mode of a session. */
export const MODE: ModeStatements = {
  characterSet: "SET client_encoding TO 'UTF8'",
  readOnly: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  readWrite: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
};

export interface SessionModeParts {
  readonly target: Duplex;
  readonly journal: StatementJournal;
  /** True if the session on the server is in read-only mode. */
  readonly isReadOnly: boolean;
  /** Returns true if a pooler shares the session that runs in this process of the server. */
  readonly isPooled: (process: string | undefined) => boolean;
}

/** Keeps the session on the server in the mode that the permission demands. */
export class SessionMode {
  private readonly parts: SessionModeParts;
  private readonly exchange: Exchange;
  private readonly streams: RelayStreams;
  private readonly mode: ServerMode;
  /** True if a mode would stay on a session that other clients share; undefined if not known. */
  private isPooled: boolean | undefined;
  /** True between the first message of a batch and its Sync. */
  private isInBatch = false;
  /** True if the open batch has ended a transaction, so that the next statement begins another. */
  private hasEnded = false;

  constructor(parts: SessionModeParts, exchange: Exchange, streams: RelayStreams) {
    this.parts = parts;
    this.exchange = exchange;
    this.streams = streams;
    this.mode = new ServerMode(MODE, parts.journal, parts.isReadOnly);
  }

  /** True if a statement must wait until `set` has changed the mode. */
  get isPending(): boolean {
    return this.mode.isPending;
  }

  /** Call it for each message of the client that is about to be handled. */
  noteMessage(type: string): void {
    if ('QFS'.includes(type)) {
      this.isInBatch = false;
      this.hasEnded = false;
    } else if ('PBDEC'.includes(type)) this.isInBatch = true;
  }

  /** Call it for each statement that runs: its functions may lift the read-only mode. */
  ran(endsTransaction: boolean): void {
    this.mode.ran();
    if (endsTransaction) this.hasEnded = true;
  }

  /**
   * Changes the mode before a message of the client. Returns the refusal of the message, if any.
   */
  async set({ type, body }: { type: string; body: Buffer }): Promise<string | undefined> {
    const { mode, streams, exchange } = this;
    const { journal } = this.parts;
    const { pipeline } = exchange;
    // Wait for pending answers. Within an open batch nothing else can be sent.
    while (!streams.isOver && pipeline.length > 0 && pipeline.isAtEnd && !pipeline.isCopyingIn)
      await exchange.settled();
    if (streams.isOver) return undefined;
    const isInTransaction = exchange.status !== 'I';
    const text = type === 'Q' ? new BodyReader(body).text().slice(0, 200) : '';
    if (pipeline.length > 0) return journal.isReadOnly() ? journal.say('read_only') : undefined;
    if (mode.refuses(text, isInTransaction)) return journal.say('read_only');
    if (await this.isRefusedByPool(isInTransaction)) return journal.say('pooled');
    if (!streams.isOver) for (const one of mode.missing(isInTransaction)) this.run(one);
    return undefined;
  }

  /**
   * Sets the read-only mode again if a statement ran since, before a message that may begin a
   * transaction. A running one keeps its mode. It waits only within a batch that has ended one.
   */
  prove(): Promise<void> | undefined {
    const { pipeline, status } = this.exchange;
    if (!this.mode.isUnproven || pipeline.isSkipping) return undefined;
    if (this.isInBatch) return this.hasEnded ? this.proveInBatch() : undefined;
    if (pipeline.length === 0 && status !== 'I') return undefined;
    this.run(this.mode.proof());
    return undefined;
  }

  /** Ends the batch so far, once the server has run all of it: after an error it skips the rest. */
  private async proveInBatch(): Promise<void> {
    const { pipeline } = this.exchange;
    this.parts.target.write(message('H'));
    while (!this.streams.isOver && pipeline.length > 0 && !pipeline.isSkipping)
      await this.exchange.settled();
    if (this.streams.isOver || pipeline.isSkipping) return;
    pipeline.push({ kind: 'sync', isOwn: true });
    this.parts.target.write(message('S'));
    this.hasEnded = false;
    this.run(this.mode.proof());
  }

  /** Returns true if the session must only read, and a pooler would give its mode to others. */
  private async isRefusedByPool(isInTransaction: boolean): Promise<boolean> {
    const { journal, isReadOnly, isPooled } = this.parts;
    if (!journal.isReadOnly() || isInTransaction || isReadOnly) return false;
    if (this.isPooled === undefined) {
      let process: string | undefined;
      this.run(POSTGRES_PROCESS, (value) => {
        process = value ?? undefined;
      });
      while (!this.streams.isOver && this.exchange.pipeline.length > 0)
        await this.exchange.settled();
      this.isPooled = isPooled(process);
    }
    return this.isPooled;
  }

  private run(statement: string, onValue?: (value: string | null | undefined) => void): void {
    this.exchange.pipeline.push({ kind: 'query', isOwn: true, ...(onValue && { onValue }) });
    this.parts.target.write(ownStatement(statement));
  }
}
