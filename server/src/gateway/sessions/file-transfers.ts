import type { ErrorCode } from '@sallyport/contract';
import type { FileRecord } from '../ports/records.ts';

/** Maximum characters of a logged name or statement. */
const MAX_NAME = 1024;

/**
 * One file in transit between client and target, in a session of another kind than file transfer.
 */
export interface FileTransfer {
  /** Counts bytes that have passed. */
  add(bytes: number): void;
  /**
   * Ends the transfer, with a reason if it is incomplete. `sha256` covers all bytes, if computed.
   */
  end(reason?: ErrorCode, sha256?: string): void;
}

export interface FileTransferLog {
  /** Returns the path under which the log lists a file. */
  pathOf(name: string): string;
  write(record: FileRecord): Promise<void>;
}

/**
 * Logs the files that a database or desktop session moves: `COPY`, `LOAD DATA LOCAL`, exports and
 * the RDP clipboard.
 */
export class FileTransfers {
  private readonly log: FileTransferLog;
  private readonly open = new Set<FileTransfer>();
  private readonly notes = new Set<Promise<void>>();

  constructor(log: FileTransferLog) {
    this.log = log;
  }

  /** Number of entries that are not written yet. */
  get waiting(): number {
    return this.notes.size;
  }

  /** Starts a transfer. `name` is the file name at the client if known, else the SQL statement. */
  begin(operation: 'upload' | 'download', name: string): FileTransfer {
    let size = 0;
    const transfer: FileTransfer = {
      add: (bytes) => {
        size += bytes;
      },
      end: (reason, sha256) => {
        if (this.open.delete(transfer))
          this.note({ operation, path: this.pathOf(name), size, reason, sha256 });
      },
    };
    this.open.add(transfer);
    return transfer;
  }

  /** Logs a transfer that was rejected before its first byte. */
  refused(operation: 'upload' | 'download', name: string, reason: ErrorCode): void {
    this.note({ operation, path: this.pathOf(name), reason });
  }

  /** Settles when all entries so far are written; undefined if none is pending. */
  written(): Promise<unknown> | undefined {
    return this.notes.size === 0 ? undefined : Promise.all(this.notes);
  }

  /** Ends the session's open transfers as incomplete. */
  async end(reason: ErrorCode): Promise<void> {
    for (const transfer of this.open) transfer.end(reason);
    await this.written();
  }

  private pathOf(name: string): string {
    return this.log.pathOf(name.slice(0, MAX_NAME));
  }

  private note(record: FileRecord): void {
    // `write` has already ended the session if the entry cannot be written.
    const noted = this.log.write(record).catch(() => undefined);
    this.notes.add(noted);
    void noted.finally(() => this.notes.delete(noted));
  }
}
