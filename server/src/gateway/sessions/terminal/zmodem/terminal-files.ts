import { actionMask, type Problem } from '@sallyport/contract';
import { MAX_FILE_ENTRIES } from '../../../limits.ts';
import type { Grant } from '../../../ports/grant.ts';
import type { Guard } from '../../../ports/guard.ts';
import type { FileRecord, NewSession } from '../../../ports/records.ts';
import { FileTransfers } from '../../file-transfers.ts';
import { shownName } from '../../files/paths.ts';
import { TRANSFER_LABELS } from '../../transfer-labels.ts';
import { noticeLine } from '../notice-line.ts';
import type { TerminalSessionClient } from '../terminal-client.ts';
import type { TerminalOutput } from '../terminal-output.ts';
import type { Operation } from './transfer.ts';
import type { ZmodemParts } from './zmodem-parts.ts';
import { ZmodemRelay } from './zmodem-relay.ts';

/** Ctrl-C. */
const INTERRUPT = 0x03;

export interface TerminalFilesParts
  extends Pick<ZmodemParts, 'toTarget' | 'text' | 'seenText' | 'keys'> {
  /** The session row of each user who typed, the owner first. */
  readonly sessions: () => readonly [NewSession, ...NewSession[]];
  readonly guard: Guard | undefined;
  readonly client: TerminalSessionClient;
  readonly shown: TerminalOutput;
  /** Returns the reason for which input does not pass. */
  readonly lock: () => Problem | undefined;
  readonly write: (record: FileRecord) => Promise<void>;
}

/** The files that pass through a terminal, with the rights of its permission. */
export class TerminalFiles {
  readonly relay: ZmodemRelay;
  private readonly parts: TerminalFilesParts;
  private readonly log: FileTransfers;
  private grant: Grant;
  private isHeld = false;
  /** The client knows that output is frames. */
  private isSeparated = false;

  constructor(parts: TerminalFilesParts) {
    this.parts = parts;
    const [{ person, grant }] = parts.sessions();
    this.grant = grant;
    this.log = new FileTransfers({ pathOf: shownName, write: parts.write });
    this.relay = new ZmodemRelay({
      ...parts,
      language: person.language,
      charset: grant.asset.charset,
      log: this.log,
      refusal: (operation) => this.refusal(operation),
      isSeparate: this.isSeparate,
      toClient: (bytes) => {
        const isAnswered = this.separate(true);
        parts.shown.flow.push(bytes);
        this.waitForLog();
        if (!isAnswered) this.abort();
      },
      seenText: (output) => {
        if (this.isSeparate) {
          this.separate(false);
          parts.text(output);
        } else parts.seenText(output);
      },
      // Frames that answer nothing are no keys.
      keys: (input) => this.isSeparate || parts.keys(input),
      show: (line) => parts.shown.draw(noticeLine(line)),
      changed: (isPassing) => {
        if (!isPassing) this.separate(false);
        parts.client.passesFiles?.(isPassing);
      },
    });
  }

  /** Takes input of the owner while the relay wants it. */
  input(chunk: Buffer): void {
    if (!this.isSeparate) this.relay.fromClient(chunk);
    else if (chunk.includes(INTERRUPT)) this.abort();
  }

  /** Takes frames of a client that sends them apart from keys. */
  frames(bytes: Buffer): void {
    if (this.relay.isPassing) this.relay.fromClient(bytes);
  }

  /** Cancels the transfer: its user has left or does not want it. */
  abort(): void {
    this.relay.abort();
  }

  /** Applies a checked grant. */
  granted(grant: Grant): void {
    this.grant = grant;
    this.relay.recheck();
  }

  /** Settles when all entries so far are written. */
  async written(): Promise<void> {
    await this.log.written();
  }

  /**
   * Returns the reason for which files may not pass. Frames are not checked like commands, and
   * watchers do not see them, so neither may be required.
   */
  private refusal(operation: Operation): Problem | undefined {
    const { grant, parts } = this;
    const action = `${operation}_file` as const;
    if ((grant.actions & actionMask([action])) === 0)
      return { code: 'transfer_denied', params: { action: TRANSFER_LABELS[action] } };
    const isChecked =
      grant.secondPerson !== undefined ||
      grant.systemUser.allowedCommands !== undefined ||
      parts.sessions().some((session) => parts.guard?.applies(session));
    if (isChecked) return { code: 'zmodem_checked' };
    return parts.lock();
  }

  private get isSeparate(): boolean {
    return this.parts.client.separatesFrames !== undefined;
  }

  /** Tells the client when output changes to frames and back. Returns false without a user. */
  private separate(on: boolean): boolean {
    if (on === this.isSeparated) return true;
    this.isSeparated = on;
    return this.parts.client.separatesFrames?.(on) ?? true;
  }

  private waitForLog(): void {
    if (this.isHeld || this.log.waiting <= MAX_FILE_ENTRIES) return;
    this.isHeld = true;
    this.parts.shown.flow.hold('log', true);
    void this.log.written()?.then(() => {
      this.isHeld = false;
      this.parts.shown.flow.hold('log', false);
    });
  }
}
