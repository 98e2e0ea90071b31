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
import { type ZmodemParts, ZmodemRelay } from './zmodem-relay.ts';

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
      toClient: (bytes) => {
        parts.shown.flow.push(bytes);
        this.waitForLog();
      },
      show: (line) => parts.shown.draw(noticeLine(line)),
      changed: (isPassing) => parts.client.passesFiles?.(isPassing),
    });
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
    return parts.client.passesFiles ? parts.lock() : { code: 'zmodem_client' };
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
